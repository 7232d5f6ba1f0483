// What the gateway is connected to: what fails comes first, with what to do.
import { words } from '../shared/diagnosis.js';
import { el } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { json, now } from '../shared/stream.js';
import { T } from '../shared/texts.js';

/** Milliseconds between two questions to the gateway. */
const interval = 20000;
let askedAt = -Infinity;
let shown = '';
/** @type {import('../shared/diagnosis.js').Line[]} */
let lines = [];

/** The list. */
export const connections = el('ul', { id: 'connections', class: 'rows' });

/** @param {import('../shared/diagnosis.js').Line} line */
function item(line) {
  const name = T.subjects[line.subject] ?? line.subject;
  return el(
    'li',
    {},
    el('span', { class: line.ok ? 'good' : 'bad' }, icon(line.ok ? 'good' : 'bad')),
    el('div', {}, el('b', {}, name), el('span', {}, line.ok ? T.works : words(line))),
  );
}

function draw() {
  const key = JSON.stringify([lines, lines.map(words)]);
  if (key === shown) return;
  shown = key;
  const sorted = [...lines.filter(line => !line.ok), ...lines.filter(line => line.ok)];
  connections.replaceChildren(...sorted.map(item));
}

/** Asks while the screen is shown, and draws. */
export async function drawConnections() {
  if (now() - askedAt > interval) {
    askedAt = now();
    lines = (await json('api/diagnosis')) ?? lines;
  }
  draw();
}
