// The climb over 15 s: a flight's positions jitter by metres.
import assert from 'node:assert/strict';
import test from 'node:test';
import { climbs } from '../../deploy/page/crew/climb.js';

test('jitter of 3 m a second is no climb of 6 m/s', () => {
  const profile = Array.from({ length: 60 }, (_, i) => [i * 1000, 5 * i + (i % 2 ? 3 : -3)]);
  const seen = climbs(profile).map(([, climb]) => climb);
  assert.deepEqual(seen.slice(0, 15), Array(15).fill(null));
  for (const climb of seen.slice(15)) assert.ok(Math.abs(climb - 5) <= 0.41, String(climb));
});

test('a thinned profile has the climb between its points', () => {
  const profile = [
    [0, 0],
    [60000, 300],
    [120000, 900],
  ];
  assert.deepEqual(
    climbs(profile).map(([, climb]) => climb),
    [null, 5, 10],
  );
  assert.deepEqual(climbs([]), []);
});
