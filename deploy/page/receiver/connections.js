// What the gateway is connected to: what fails comes first, with what to do.
import { isMet, words } from '../shared/diagnosis.js';
import { el } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { chase, data, health, json, now, position } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';

/** Milliseconds between two questions to the gateway. */
const interval = 20000;
let askedAt = -Infinity;
let shown = '';
/** @type {import('../shared/diagnosis.js').Line[]} */
let lines = [];

/** The list. */
export const connections = el('ul', { id: 'connections', class: 'rows' });

/** The receiver's name, and what is known of its firmware. */
export function receiverFacts() {
  const { name, firmware, newer_firmware } = data.state?.receiver ?? {};
  const p = position();
  const sendsNoClimb = p?.source === 'ble' && p.vertical_speed_mps === null;
  return [
    name,
    firmware,
    newer_firmware && T.firmwareNewer(newer_firmware),
    sendsNoClimb && T.firmwareNoClimb,
  ];
}

/**
 * What a connection that works is to, by its subject.
 * @type {Record<string, () => unknown[]>}
 */
const facts = {
  receiver: receiverFacts,
  broker: () => {
    const ms = health()?.broker?.round_trip_ms;
    return [u.known(ms) && `${Math.round(ms)} ms`];
  },
  gpsd: () => [chase()?.car.source],
};

/** @param {import('../shared/diagnosis.js').Line} line */
const working = line => u.joined(T.works, ...(facts[line.subject]?.() ?? []));

/** @param {import('../shared/diagnosis.js').Line} line */
function item(line) {
  const name = T.subjects[line.subject] ?? line.subject;
  return el(
    'li',
    {},
    el('span', { class: isMet(line) ? 'good' : 'bad' }, icon(isMet(line) ? 'good' : 'bad')),
    el('div', {}, el('b', {}, name), el('span', {}, isMet(line) ? working(line) : words(line))),
  );
}

function draw() {
  const key = JSON.stringify([lines.map(isMet), lines.map(words), lines.map(working)]);
  if (key === shown) return;
  shown = key;
  const sorted = [...lines.filter(line => !isMet(line)), ...lines.filter(isMet)];
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
