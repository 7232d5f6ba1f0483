// A card for what all flights tell together. It is folded away, and asks the gateway only while it is open.
import { el } from '../shared/dom.js';
import { isSynced, json, now } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import { units } from '../shared/units.js';

/** Milliseconds between two questions to the gateway. */
const interval = 60000;

/**
 * @param {string} title
 * @param {string} path  What the gateway is asked.
 * @param {(answer: any) => Node[]} content  What the card shows of an answer.
 * @returns {{root: any, draw: () => void}}  `draw` does nothing while the card is folded away.
 */
export function record(title, path, content) {
  const box = el('div');
  const root = el('details', { class: 'card record' }, el('summary', {}, el('h2', {}, title)), box);
  let askedAt = -Infinity;
  /** @type {any} */
  let answer;
  let shown = '';
  const show = () => {
    const key = JSON.stringify([answer, units(), isSynced()]);
    if (key === shown) return;
    shown = key;
    box.replaceChildren(...(answer ? content(answer) : [el('p', {}, T.lost)]));
  };
  const ask = async () => {
    askedAt = now();
    // What was told before stays: the page says itself that the gateway is lost.
    answer = (await json(path)) ?? answer;
    show();
  };
  const draw = () => {
    if (!root.open) return;
    if (now() - askedAt > interval) ask();
    else if (shown) show();
  };
  root.ontoggle = draw;
  return { root, draw };
}
