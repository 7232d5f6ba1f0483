// What the board says of a car's arrival, and how sure the landing is.
import assert from 'node:assert/strict';
import test from 'node:test';
import { arrivalOf, isTimeOld, radiusOf, timeOff } from '../../deploy/page/board/arrival.js';

const road = { method: 'osrm', distance_m: 46000, arrival_at: '2026-11-29T12:00:00Z', margin_s: 5400 };

/** [name, the arrival, the sonde's phase, the car's reach, the level, there, old, straight] */
const table = [
  ['by road, in time', road, 'ascending', 'ok', 'good', false, false, false],
  ['by road, late', { ...road, margin_s: -900 }, 'ascending', 'ok', 'bad', false, false, false],
  [
    'a straight line is no green, though it has an arrival',
    { ...road, method: 'straight_line' },
    'ascending',
    'ok',
    null,
    false,
    false,
    true,
  ],
  ['nor is a missing method', { ...road, method: null }, 'ascending', 'ok', null, false, false, true],
  ['a car whose gateway is off', road, 'ascending', 'offline', null, false, true, false],
  ['a silent car', { ...road, margin_s: -900 }, 'ascending', 'silent', null, false, true, false],
  ['no margin', { ...road, margin_s: null }, 'ascending', 'ok', null, false, false, false],
  [
    'beside the landed sonde',
    { ...road, distance_m: 0, margin_s: -3000 },
    'landed',
    'ok',
    null,
    true,
    false,
    false,
  ],
  [
    'where it will land',
    { ...road, distance_m: 0, margin_s: 3000 },
    'ascending',
    'ok',
    'good',
    false,
    false,
    false,
  ],
];

for (const [name, arrival, phase, reach, level, isThere, isOld, isStraight] of table) {
  test(`arrival: ${name}`, () => {
    assert.deepEqual(arrivalOf(arrival, phase, reach), { isThere, isOld, isStraight, level });
  });
}

test('a predicted landing has a radius and a spread, a seen one has none', () => {
  const known = { error_radius_50_m: 27000, landing_error_50_s: 1380 };
  assert.equal(radiusOf({ ...known, source: 'predicted' }), 27000);
  assert.equal(timeOff({ ...known, source: 'predicted' }), 1380);
  assert.equal(radiusOf({ ...known, source: 'observed' }), null);
  assert.equal(timeOff({ ...known, source: 'observed' }), 0);
  assert.equal(radiusOf({ source: 'predicted', error_radius_50_m: 0 }), null);
  assert.equal(radiusOf(undefined), null);
  assert.equal(timeOff({ source: 'predicted' }), 0);
});

test('the time of a landing is as old as the sonde, or the car that told it', () => {
  assert.equal(isTimeOld(false, 'ok'), false);
  assert.equal(isTimeOld(true, 'ok'), true);
  assert.equal(isTimeOld(false, 'silent'), true);
});
