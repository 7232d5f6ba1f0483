// The plan of the last 200 m.
import assert from 'node:assert/strict';
import test from 'node:test';
import { plan } from '../../deploy/page/drive/nearby.js';

const sonde = { latitude: 47, longitude: 7 };
/** A place so many metres to the east and to the north of the sonde. */
const away = (east, north) => ({
  latitude: 47 + north / 111195,
  longitude: 7 + east / 111195 / Math.cos((47 * Math.PI) / 180),
});

/** [metres east, metres north, the span, the rings, the bar] */
const table = [
  [0, 0, 25, [10, 20], 10],
  [20, 10, 25, [10, 20], 10],
  [-40, 30, 60, [20, 50], 20],
  [60, -78, 125, [50, 100], 50],
  [150, 120, 250, [100, 200], 100],
  [0, 900, 250, [100, 200], 100],
];

for (const [east, north, span, rings, bar] of table) {
  test(`plan: ${east} m east, ${north} m north`, () => {
    const found = plan({ sonde, car: away(east, north), trail: [], track: [] }, 300);
    assert.deepEqual([found.span, found.rings, found.bar], [span, rings, bar]);
    const [x, y] = found.car.map(v => v / found.pixel);
    assert.ok(Math.abs(x - east) < 0.5 && Math.abs(y + north) < 0.5, `${x}, ${y}`);
    // A car that is near is in the picture.
    if (Math.hypot(east, north) <= 200) assert.ok(found.car.every(v => Math.abs(v) < 150));
  });
}

test('plan: both ways, also across 180 degrees', () => {
  const here = { latitude: -17, longitude: 179.9999 };
  const there = { latitude: -17, longitude: -179.9999 };
  const found = plan({ sonde: here, car: there, trail: [here, there], track: [there, here] }, 300);
  assert.ok(Math.abs(found.car[0] / found.pixel - 21.3) < 0.2);
  assert.deepEqual(found.trail[1], found.car);
  assert.deepEqual(found.track[0], found.car);
});
