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

const fields = choices.map(choice => {
  const input = el('input', {
    inputmode: 'decimal',
    'data-option': choice.option,
    'aria-label': choice.name,
  });
  return { choice, input, root: el('label', { class: 'field' }, choice.name, input) };
});

/**
 * Sends what is filled in; a value that is out of range is refused here.
 * @param {Event} event
 */
function ask(event) {
  event.preventDefault();
  /** @type {Record<string, number>} */
  const wanted = {};
  for (const { choice, input } of fields.filter(one => one.input.value.trim())) {
    const { option, name, min, max } = choice;
    const value = numberIn(input.value, choice);
    if (!(value >= min && value <= max))
      return toast(T.outOfRangeNumber({ name, min: u.plain(min), max: u.plain(max) }));
    wanted[option] = value;
  }
  const values = Object.values(wanted);
  if (values.length) send({ options: wanted }, T.options, values.map(u.plain).join(', '));
}

function takeBack() {
  const none = Object.fromEntries(choices.map(({ option }) => [option, null]));
  for (const { input } of fields) input.value = '';
  send({ options: none }, T.options, T.asConfigured);
}

/** @type {Record<string, string>} */
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
  el(
    'form',
    { onsubmit: ask },
    ...fields.map(one => one.root),
    el('div', { class: 'row' }, el('button', { class: 'strong' }, T.send), button(T.asConfigured, takeBack)),
  ),
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
  const wanted = asked[T.options] ?? asked[T.sync];
  const burst = prediction()?.burst?.altitude_m;
  const now = u.known(burst) ? T.burstExpected(u.text(u.height(burst))) : '';
  put(expected, wanted ? T.asked(wanted) : now);
}
