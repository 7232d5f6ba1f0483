// The ribbon's table: which part of a flight is drawn, and where its marks are.
import assert from 'node:assert/strict';
import test from 'node:test';
import { timeline } from '../../deploy/page/drive/timeline.js';

const minute = 60000;
const now = 100 * minute;
/** Climbs 300 m a minute from 60 to 100 minutes. */
const flown = Array.from({ length: 41 }, (_, i) => [(60 + i) * minute, i * 300]);
const path = [
  [now, 12000],
  [150 * minute, 27000],
  [180 * minute, 500],
];
const usual = {
  now,
  flown,
  path,
  burstAt: 150 * minute,
  hasBurst: false,
  landingAt: 180 * minute,
  landingOff: 0,
  isDown: false,
  arrivalAt: 140 * minute,
};

/** [name, what differs, where the past begins in minutes, which marks are there] */
const table = [
  ['while it climbs: the whole flight', {}, 60, 'now burst landing arrival'],
  [
    'after the burst: from shortly before it',
    { hasBurst: true, burstAt: 90 * minute },
    88,
    'now burst landing arrival',
  ],
  [
    'the last ten minutes',
    { landingAt: 105 * minute, arrivalAt: 104 * minute, burstAt: 70 * minute },
    90,
    'now landing arrival',
  ],
  ['landed', { isDown: true, landingAt: 99 * minute, burstAt: 70 * minute }, 89, 'now landing arrival'],
  [
    'landed, and the car is there',
    { isDown: true, landingAt: 99 * minute, burstAt: 70 * minute, arrivalAt: 100 * minute },
    89,
    'now landing',
  ],
  ['no car', { arrivalAt: null }, 60, 'now burst landing'],
  ['no prediction', { path: [], landingAt: null, burstAt: null, arrivalAt: null }, 60, 'now'],
];

for (const [name, changes, first, marks] of table) {
  test(`the ribbon, ${name}`, () => {
    const seen = timeline({ ...usual, ...changes });
    const there = ['now', 'burst', 'landing', 'arrival'].filter(one => seen[one]);
    assert.equal(there.join(' '), marks);
    // One point a minute.
    assert.equal(seen.past.length, 101 - first);
    assert.ok(Math.abs(seen.past[0][0]) < 3, `the past begins at ${seen.past[0][0]} %`);
    for (const one of there)
      assert.ok(seen[one].x >= 0 && seen[one].x <= 100 && seen[one].y >= 0 && seen[one].y <= 100);
  });
}

test('a whisker spans half of all landings, never the past, and lies inside', () => {
  const span = landingOff => timeline({ ...usual, landingOff }).whisker;
  assert.equal(span(0), null);
  const [early, late] = span(12 * minute);
  const { landing } = timeline({ ...usual, landingOff: 12 * minute });
  assert.ok(Math.abs(landing.x - early - (late - landing.x)) < 0.01 && late <= 100, `${early} ${late}`);
  const soon = timeline({ ...usual, landingAt: now + 2 * minute, landingOff: 5 * minute });
  assert.equal(soon.whisker[0], soon.now.x);
});

test('nothing to draw is null', () => {
  assert.equal(
    timeline({ ...usual, flown: [], path: [], landingAt: null, arrivalAt: null, burstAt: null }),
    null,
  );
});

test('a day of points is thinned', () => {
  const long = Array.from({ length: 10000 }, (_, i) => [i * 600, i]);
  assert.ok(timeline({ ...usual, now: 6000000, flown: long }).past.length <= 151);
});
