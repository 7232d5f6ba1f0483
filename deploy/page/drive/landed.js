// A landing on Drive: the way there in one touch and, at the sonde, the report that it is found.
import { report } from '../crew/around.js';
import { $, button, cls, el, sheet } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { facts, now } from '../shared/model.js';
import { degrees } from '../shared/navigation.js';
import { canReport, data, flight, landing, position } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import { isGuess } from './situation.js';

/** Metres to the sonde below which a crew may have it in its hands. */
const foundWithin = 500;

/** Only a phone or a tablet has a navigation to hand the place to. */
const hasNavigation = matchMedia('(pointer: coarse)');

const navigate = el('a', { id: 'navigate', class: 'button strong', hidden: true }, icon('place'), T.navigate);
const found = el('button', { id: 'found', type: 'button', class: 'mine', hidden: true, onclick: ask });
found.append(icon('done'), T.found);

function ask() {
  const note = el('input', { maxlength: 200, 'aria-label': T.note, placeholder: T.note });
  /** @param {string} state */
  const tell = state => () => report(state, note.value.trim());
  sheet(
    `${T.recovery} · ${data.state?.serial ?? ''}`,
    el('div', { class: 'row' }, note),
    el(
      'div',
      { class: 'row' },
      button(T.recoveries.recovered, tell('recovered'), { class: 'strong' }),
      button(T.recoveries.not_found, tell('not_found')),
    ),
  );
}

/** Makes the buttons. */
export function startLanded() {
  $('take').before(navigate, found);
}

/** Shows what a landing offers, and only what can work. */
export function drawLanded() {
  const known = facts();
  const isDown = known.phase === 'landed';
  const s = now();
  // Nobody hears it any more: its last place in the air is not where it lies.
  const place = isGuess(known) ? landing() : (flight()?.landed ?? landing() ?? position());
  navigate.hidden = !isDown || !place || !hasNavigation.matches;
  if (place && !navigate.hidden) navigate.href = `geo:${degrees(place)}?q=${degrees(place)}`;
  found.hidden = !isDown || !canReport() || (s.sight?.distance_m ?? Infinity) > foundWithin;
  cls($('below'), 'landed', !navigate.hidden || !found.hidden);
  // The one main button: at the sonde it is found, on the way there a phone takes the place along.
  cls(found, 'strong', !found.hidden);
  cls(navigate, 'strong', found.hidden);
  cls($('take'), 'strong', isDown && found.hidden && !hasNavigation.matches);
}
