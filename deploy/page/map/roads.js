// One question on a map without roads: the gateway may fetch them from OpenStreetMap. It is setup's own question.
import { askSetup, kept } from '../setup/setup.js';
import { isDemo } from '../shared/demo.js';
import { words } from '../shared/diagnosis.js';
import { $, button, dialog, el, put } from '../shared/dom.js';
import { stored } from '../shared/stored.js';

const name = 'roads';
/** @type {import('../setup/setup.js').Step | undefined} */
let step;
/** What to do once the gateway has roads. */
let changed = () => {};

/** @param {string} answer */
async function answered(answer) {
  stored.keep(name, answer);
  if (answer === 'yes') {
    const outcome = await kept({ [name]: answer });
    if (!outcome.kept) return put($(name).querySelector('.bad'), words(outcome));
    step = undefined;
    changed();
  }
  $(name).remove();
}

/** @param {import('../setup/setup.js').Step} step */
function show({ title, text, choices }) {
  /** @param {{value: string, title: string}} choice */
  const choice = ({ value, title: words }) =>
    button(words, () => answered(value), { class: value === 'yes' ? 'strong' : '', 'data-value': value });
  document.getElementById(name)?.remove();
  $('box').append(
    el(
      'div',
      { id: name, class: 'card', role: 'group', 'aria-label': title },
      el('h2', {}, title),
      el('p', {}, text),
      el('p', { class: 'bad', role: 'alert' }),
      el('div', { class: 'row' }, ...choices.map(choice)),
    ),
  );
}

/**
 * Learns whether the gateway has the question open, and asks it, unless somebody has said no in this browser or a
 * simulated flight is shown.
 * @param {() => void} then  Called once the gateway has roads.
 * @param {boolean} isAsking  There is no other map.
 */
export async function offerRoads(then, isAsking) {
  changed = then;
  const told = await askSetup();
  step = told?.steps?.find(one => one.name === name && !one.fixed && one.present === 'no');
  if (step && isAsking && !isDemo() && stored.read(name) !== 'no') show(step);
}

function showFromLayers() {
  dialog()?.close();
  if (step) show(step);
}

/** The way to the question in the list of layers, also after a no; or nothing. */
export const roadsRow = () =>
  step && !isDemo() ? [button(`${step.title} …`, showFromLayers, { class: 'wide' })] : [];
