// The options that a person sets: the prediction's, and the one for a sonde on another frequency.
import { asked, send } from '../shared/command.js';
import { button, el, put, toast } from '../shared/dom.js';
import { prediction } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';

/**
 * @typedef {object} Choice  A parameter of the prediction.
 * @property {string} option  Its name in the command `options`.
 * @property {string} name
 * @property {number} min  The lowest value that the gateway accepts.
 * @property {number} max
 */

/** @type {Choice[]} */
const choices = [
  { option: 'burst_altitude_m', name: T.burstAltitude, min: 1000, max: 60000 },
  { option: 'ascent_rate_mps', name: T.ascentRate, min: 0.5, max: 20 },
  { option: 'descent_rate_mps', name: T.descentRate, min: 0.5, max: 50 },
];

/**
 * A number as people write it: 33.000 metres are thousands, 5,5 metres a second are not.
 * @param {string} text
 * @param {Choice} choice
 */
function numberIn(text, { min }) {
  const isWhole = min >= 1000;
  return Number(isWhole ? text.replace(/[.,\s]/g, '') : text.trim().replace(',', '.'));
}

/** @param {Choice} choice */
function field(choice) {
  const { option, name, min, max } = choice;
  const input = el('input', { inputmode: 'decimal', 'aria-label': name, placeholder: name });
  const onsubmit = event => {
    event.preventDefault();
    const value = numberIn(input.value, choice);
    if (!input.value.trim() || !(value >= min && value <= max)) {
      return toast(T.outOfRangeNumber({ name, min: u.plain(min), max: u.plain(max) }));
    }
    send({ options: { [option]: value } }, name, u.plain(value));
  };
  const takeBack = () => send({ options: { [option]: null } }, name, T.asConfigured);
  return el(
    'form',
    { class: 'row', onsubmit, 'data-option': option },
    input,
    el('button', {}, T.send),
    button(T.asConfigured, takeBack, { 'aria-label': T.named({ name, value: T.asConfigured }) }),
  );
}

const syncs = { '': T.asConfigured, ...T.syncs };
const sync = el(
  'select',
  { 'aria-label': T.sync },
  el('option', { value: '-' }, `${T.sync} …`),
  ...Object.entries(syncs).map(([value, text]) => el('option', { value }, text)),
);
sync.onchange = () => {
  if (sync.value === '-') return;
  send({ options: { frequency_sync: sync.value || null } }, T.sync, syncs[sync.value]);
  sync.value = '-';
};

const expected = el('p');

/** The controls. */
export const options = el(
  'div',
  { class: 'options' },
  expected,
  ...choices.map(field),
  el(
    'div',
    { class: 'row' },
    button(T.predictNow, () => send({ predict: true }, T.options)),
    button(T.askLaunches, () => send({ request: 'launches' }, T.launches)),
    sync,
  ),
);

/** Draws what the prediction uses. */
export function drawOptions() {
  const wanted = [...choices.map(choice => choice.name), T.sync].map(what => asked[what]).find(Boolean);
  const burst = prediction()?.burst?.altitude_m;
  const now = u.known(burst) ? T.burstExpected(u.text(u.height(burst))) : '';
  put(expected, wanted ? T.asked(wanted) : now);
}
