// A place in words: by the town that tells best where it is.
import assert from 'node:assert/strict';
import test from 'node:test';
import { nearest } from '../../deploy/page/shared/nearest.js';

const town = (name, latitude, longitude, people) => ({ name, latitude, longitude, people });
const towns = [
  [
    town('Grenchen', 47.193, 7.397, 16200),
    town('Bettlach', 47.2, 7.425, 4700),
    town('Hamlet', 47.23, 7.4, 500),
  ],
  [town('Solothurn', 47.208, 7.537, 16800)],
];

/** [place, town, kilometres, the bearing from the town] */
const table = [
  ['in its middle', [47.193, 7.397], 'Grenchen', 0, null],
  ['to the north', [47.211, 7.397], 'Grenchen', 2.0, 0],
  ['to the south-west', [47.175, 7.3705], 'Grenchen', 2.8, 225],
  ['at a village', [47.2305, 7.401], 'Hamlet', 0.1, 54],
  ['in another list', [47.21, 7.56], 'Solothurn', 1.8, 83],
  ['far from any', [48.2, 7.4], null],
];

for (const [name, [latitude, longitude], expected, kilometres, bearing] of table) {
  test(`nearest: ${name}`, () => {
    const found = nearest(towns, { latitude, longitude });
    assert.equal(found?.name ?? null, expected);
    if (!found) return;
    assert.ok(Math.abs(found.distance_m / 1000 - kilometres) < 0.1, `${found.distance_m} m`);
    if (bearing !== null) assert.ok(Math.abs(((found.bearing_deg - bearing + 540) % 360) - 180) < 3);
  });
}

test('nearest: across 180 degrees', () => {
  const found = nearest([[town('Taveuni', -16.9, 179.99, 2000)]], { latitude: -16.9, longitude: -179.99 });
  assert.ok(found.distance_m < 2500);
});
