// What a sonde's card offers: nothing that would change nothing.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load, tell } from './page.js';

const page = await load(['crew/facts.js', 'shared/stream.js']);
const sonde = { serial: 'V4210150', sonde_type: 'RS41', frequency_mhz: 404.2 };

/** [what differs, the receiver, the receiver's frequency, what is offered] */
const table = [
  [{}, 'online', 405.1, 'Hunt this, Tune'],
  [{ hunted: true }, 'online', 405.1, 'Tune'],
  [{ hunted: true }, 'online', 404.2, ''],
  [{}, 'offline', 405.1, 'Hunt this'],
  [{ hunted: true, frequency_mhz: null }, 'online', 405.1, ''],
];

for (const [changes, receiver, frequency, offered] of table) {
  test(`a sonde ${JSON.stringify(changes)}, the receiver ${receiver} on ${frequency}: "${offered}"`, () => {
    tell(page, { radio: { frequency_mhz: frequency }, alive: { at: '2026-11-25T12:00:00Z' } });
    page.data.receiver_state = receiver;
    const acts = page.sondeActs({ ...sonde, ...changes });
    assert.equal(acts.map(([words]) => words).join(', '), offered);
  });
}
