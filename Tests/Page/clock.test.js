// The page's clock over a tablet's sleep, during which its monotonic clock stands still.
import assert from 'node:assert/strict';
import test from 'node:test';
import { clock } from '../../deploy/page/shared/clock.js';

/** [name, the steps: milliseconds by the monotonic clock and by the wall clock, what the clock has counted after each] */
const table = [
  [
    'awake',
    [
      [500, 500],
      [500, 501],
    ],
    [500, 1000],
  ],
  [
    'asleep for 90 s',
    [
      [500, 500],
      [500, 90500],
      [500, 500],
    ],
    [500, 91000, 91500],
  ],
  [
    'asleep twice',
    [
      [0, 5000],
      [0, 7000],
    ],
    [5000, 12000],
  ],
  [
    'a wall clock that is set back ages nothing',
    [
      [500, -3600000],
      [500, 500],
    ],
    [500, 1000],
  ],
  [
    'after it was set back, sleep counts again',
    [
      [500, -3600000],
      [500, 60500],
    ],
    [500, 61000],
  ],
  ['drift below a second at a time is no sleep', [[500, 1400]], [500]],
];

for (const [name, steps, expected] of table) {
  test(`the clock: ${name}`, () => {
    let steady = 0;
    let wall = 1e12;
    const now = clock({ steady: () => steady, wall: () => wall });
    const seen = steps.map(([by, passed]) => {
      steady += by;
      wall += passed;
      return now();
    });
    assert.deepEqual(seen, expected);
  });
}
