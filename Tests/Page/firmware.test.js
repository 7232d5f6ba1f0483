// What the line of a connected receiver says of its firmware.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load, tell } from './page.js';

const page = await load(['receiver/connections.js', 'shared/stream.js']);

const noClimb = 'sends no vertical speed: the gateway computes it';
/** [the receiver, the position, what is said] */
const table = [
  [{ firmware: '3.10', newer_firmware: null }, { source: 'ble', vertical_speed_mps: 5 }, ['3.10']],
  [
    { firmware: '2.30', newer_firmware: '3.10' },
    { source: 'ble', vertical_speed_mps: null },
    ['2.30', '3.10 is newer', noClimb],
  ],
  // SondeHub's position says nothing of the receiver.
  [
    { firmware: '2.30', newer_firmware: '3.10' },
    { source: 'sondehub', vertical_speed_mps: null },
    ['2.30', '3.10 is newer'],
  ],
  [{ firmware: null, newer_firmware: null }, {}, []],
];
for (const [receiver, position, said] of table) {
  test(`${JSON.stringify(receiver)}, ${JSON.stringify(position)}`, () => {
    tell(page, { state: { receiver: { name: 'MySondyGo', ...receiver } }, position });
    assert.deepEqual(page.receiverFacts().filter(Boolean), ['MySondyGo', ...said]);
  });
}
