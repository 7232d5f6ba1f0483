// Take along: the target on a phone, for the last kilometre on foot.
import { $, button, el, sheet } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { now } from '../shared/model.js';
import { degrees } from '../shared/navigation.js';
import { code, copy, links } from '../shared/place.js';
import { flight, landing, position } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { fileRow } from './files.js';
import { landingDoubt, withDoubt } from './words.js';

// The place that the arrow points to, or the landing point; null if neither is known.
function target() {
  const sonde = position() ?? flight()?.last ?? null;
  return now().target === 'sonde' ? (sonde ?? landing()) : (landing() ?? null);
}

function showTarget() {
  const place = target();
  if (!place) return;
  const name = now().target === 'sonde' ? T.names.sonde : T.names.landing;
  // Where a sonde is expected is no place to send somebody to without a word.
  const expected = place === landing() ? landing() : null;
  const doubt = landingDoubt(expected);
  sheet(
    T.take,
    el('p', {}, T.named({ name, value: withDoubt(expected, u.place(place)) })),
    ...(doubt ? [el('p', { class: 'warning' }, T.takeDoubt(doubt))] : []),
    el(
      'div',
      { class: 'beside' },
      el(
        'div',
        {},
        el(
          'div',
          { class: 'row' },
          ...links(place),
          button(T.copy, () => copy(u.place(place))),
        ),
        fileRow(place, name),
        el('p', {}, T.takeCode),
      ),
      code(`geo:${degrees(place)}`, `${T.takeCode} ${u.place(place)}`),
    ),
  );
}

/** Makes the button. */
export function startTake() {
  $('take').replaceChildren(icon('take'), T.take);
  $('take').onclick = showTarget;
}

/** Shows the button while there is a place to take along. */
export function drawTake() {
  $('take').hidden = !target();
}
