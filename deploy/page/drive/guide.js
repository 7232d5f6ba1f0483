// The driver's guide: the advice above the numbers, and the dial. It comes after the first numbers.
import { $, cls, el, put } from '../shared/dom.js';
import { icon as picture, putIcon } from '../shared/icons.js';
import { aged, border, facts } from '../shared/model.js';
import { now as clock, heard, isLost, isReplaced, landing } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { advise } from './advice.js';
import { drawDial } from './dial.js';
import { sentence } from './sentences.js';
import { chipText, nearLanding, where } from './words.js';

/** @typedef {import('./situation.js').Situation} Situation */

/** @type {import('./advice.js').Held} */
let held = { word: 'nothing', next: null, since: 0 };

/**
 * The advice that the driver reads.
 * @param {Situation} s
 */
export function adviceNow(s) {
  held = advise(held, facts(), s, clock());
  return held.word;
}

/**
 * Writes the advice into a bar; hides the bar if there is none.
 * @param {HTMLElement} bar
 * @param {Situation} s
 */
function drawAdvice(bar, s, isShown = true) {
  // What lies over all screens says already that the gateway is away.
  bar.hidden = !isShown || isLost() || isReplaced();
  if (bar.hidden) return;
  const { icon, tone, heading, why } = sentence(held.word, s);
  Object.assign(bar.dataset, { word: held.word, tone });
  putIcon(bar.querySelector('.sign'), icon);
  put(bar.querySelector('.word'), heading);
  put(bar.querySelector('.why'), why ?? '');
}

/**
 * Where it lands, in words, where the dial would be.
 * @param {Situation} s
 */
function drawWhere(s) {
  const place = s.target ? null : landing();
  const radius = place?.error_radius_50_m;
  const near = nearLanding(place);
  const parts = [
    place && picture('place'),
    place && el('span', { class: 'dim' }, T.landingAt),
    place && el('b', {}, near ?? u.place(place)),
    radius && el('span', { class: 'doubt' }, `± ${u.text(u.radius(radius))}`),
    near && el('span', { class: 'dim' }, u.place(place)),
  ].flatMap(part => part || []);
  const key = parts.map(part => part.textContent).join('|');
  if ($('where').dataset.key === key) return;
  $('where').dataset.key = key;
  $('where').replaceChildren(...parts);
}

/** @param {Situation} s */
function drawArrow(s) {
  const isOld = aged('', s.lines[0].age, s.lines[0].limit).isOld;
  cls($('arrow'), 'none', !s.sight);
  cls($('arrow'), 'old', isOld);
  const { form, half } = drawDial(held.word, facts(), s);
  const target = s.target === 'sonde' ? T.toSonde : T.toLanding;
  const wide = form === 'sector' ? T.sector(Math.round(2 * half)) : form === 'area' && T.areaAround;
  $('arrow').setAttribute('aria-label', s.target ? u.joined(target, where(s), wide) : T.noCar);
}

/** @type {Record<string, string>} */
const chipIcons = { green: 'receiver', orange: 'sondehub', red: 'bad', grey: 'silent' };

/**
 * Who hears the sonde, in the foot of Drive and above the map. What lies over all screens says that the gateway is away.
 * @param {HTMLElement} chip
 */
function drawChip(chip) {
  const [colour] = border();
  const isUnknown = colour === 'grey' && !Number.isFinite(heard());
  cls(chip, 'none', isUnknown || isLost() || isReplaced());
  putIcon(/** @type {?HTMLElement} */ (chip.firstElementChild), chipIcons[colour]);
  put(chip.lastElementChild, chipText());
}

/** @param {Situation} s */
export function drawGuide(s) {
  drawAdvice($('advice'), s);
  drawArrow(s);
  drawWhere(s);
  drawChip($('chip'));
}

/**
 * What the Map says beside its numbers: who hears the sonde, and a landing.
 * @param {Situation} s
 */
export function drawOnMap(s) {
  drawChip($('hears'));
  drawAdvice($('down'), s, held.word === 'landed');
}
