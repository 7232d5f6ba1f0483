// The chart of the signal begins with the flight, not with the page.
import assert from 'node:assert/strict';
import test from 'node:test';
import { levels } from '../../deploy/page/crew/levels.js';

/** A point of a profile: seconds, dBm. */
const point = (second, level) => [second * 1000, 500, 5, level];
const heard = (second, level) => [second * 1000, level];

/** [what, the profile, what the page has heard, the chart's values by seconds] */
const table = [
  ['nothing', [], [], []],
  [
    'no flight is recorded',
    [],
    [heard(1, -80), heard(2, -81)],
    [
      [1, -80],
      [2, -81],
    ],
  ],
  [
    'a recorded flight',
    [point(0, -50), point(1, -51)],
    [],
    [
      [0, -50],
      [1, -51],
    ],
  ],
  [
    'what the page has heard comes after what is recorded',
    [point(0, -50), point(9, -51)],
    [heard(8, -70), heard(9, -71), heard(10, -72)],
    [
      [0, -50],
      [9, -51],
      [10, -72],
    ],
  ],
  [
    'a missing second breaks nothing',
    [point(0, -50), point(1, null), point(2, -51)],
    [],
    [
      [0, -50],
      [2, -51],
    ],
  ],
  [
    'SondeHub saw the sonde for five minutes, the receiver did not',
    [point(0, -50), point(60, null), point(240, null), point(300, -60)],
    [],
    [
      [0, -50],
      [299.999, null],
      [300, -60],
    ],
  ],
  [
    'a thinned profile has points far apart',
    [point(0, -50), point(300, -60)],
    [],
    [
      [0, -50],
      [300, -60],
    ],
  ],
  ['the receiver never heard it', [point(0, null), point(300, null)], [], []],
];
for (const [what, profile, live, values] of table) {
  test(what, () => {
    const seen = levels(profile, live).map(([t, level]) => [t / 1000, level]);
    assert.deepEqual(seen, values);
  });
}
