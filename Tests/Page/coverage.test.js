// What the receiver has heard, as a plot and in words.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  cellShapes,
  compassName,
  greatest,
  horizonShapes,
  levelOf,
  ringOf,
  sector,
} from '../../deploy/page/crew/sectors.js';
import { load, plain } from './page.js';

const page = await load(['crew/coverage.js', 'shared/units.js']);

/** A direction that has heard in these bands, by their mean dBm. */
const direction = (name, bearing_deg, farthest_m, horizon_deg, ...levels) => ({
  name,
  bearing_deg,
  heard: levels.filter(level => level != null).length * 10,
  farthest_m,
  horizon_deg,
  cells: levels.map(level => (level == null ? null : { samples: 10, mean_rssi_dbm: level })),
});
const nothing = [null, null, null];
const coverage = {
  samples: 1230,
  bands_km: [10, 25],
  directions: [
    direction('N', 0, 9000, 0.5, -70, null, null),
    direction('ENE', 67.5, 182400, 2.25, -75, -95.4, -121),
    direction('S', 180, null, null, ...nothing),
    direction('W', 270, 24000, -0.4, null, -100, null),
  ],
};

/** [dBm, level] */
const levels = [
  [-40, 4],
  [-80, 4],
  [-80.1, 3],
  [-90, 3],
  [-99.9, 2],
  [-110, 1],
  [-110.1, 0],
  [-140, 0],
];
for (const [dBm, level] of levels) {
  test(`${dBm} dBm is of level ${level}`, () => assert.equal(levelOf(dBm), level));
}

test('a sector lies around its bearing, clockwise from north', () => {
  assert.equal(sector(0, 180, 50, 100), 'M-50 0L-100 0A100 100 0 0 1 100 0L50 0A50 50 0 0 0 -50 0Z');
  assert.equal(sector(90, 180, 0, 10), 'M0 0L0 -10A10 10 0 0 1 0 10L0 0A0 0 0 0 0 0 0Z');
});

test('what was heard has shapes, what was not has none', () => {
  const shapes = cellShapes(coverage.directions);
  assert.deepEqual(
    shapes.map(({ direction, band, level }) => [direction, band, level]),
    [
      [0, 0, 4],
      [1, 0, 4],
      [1, 1, 2],
      [1, 2, 0],
      [3, 1, 2],
    ],
  );
  // The last band ends at the plot's edge, and each begins where the one before ends.
  assert.match(shapes[3].path, /A100 100 /);
  assert.match(shapes[3].path, new RegExp(`A${ringOf(1, 3)} ${ringOf(1, 3)} `));
  assert.match(shapes[2].path, new RegExp(`A${ringOf(1, 3)} ${ringOf(1, 3)} `));
  assert.deepEqual(cellShapes([]), []);
});

test('the ring of the horizon is as broad as the ground is high', () => {
  const shapes = horizonShapes(coverage.directions);
  assert.equal(shapes.length, 2);
  const outer = horizonShapes([
    direction('N', 0, null, 2.5, ...nothing),
    direction('S', 180, null, 10, ...nothing),
  ]).map(path => Number(path.match(/A([\d.]+)/)?.[1]));
  const level = Number(
    horizonShapes([direction('N', 0, null, 0.001, ...nothing)])[0].match(/A([\d.]+)/)?.[1],
  );
  assert.ok(Math.abs((outer[1] - level) / (outer[0] - level) - 4) < 0.1, String(outer));
  assert.ok(level > 100);
  assert.deepEqual(horizonShapes([direction('S', 180, null, null, ...nothing)]), []);
});

test('the farthest direction, and none', () => {
  assert.equal(greatest(coverage.directions, 'farthest_m')?.name, 'ENE');
  assert.equal(greatest(coverage.directions, 'horizon_deg')?.name, 'ENE');
  assert.equal(greatest([coverage.directions[2]], 'farthest_m'), undefined);
});

test('a language has its own letters', () => {
  assert.equal(compassName('ENE', ['N', 'O', 'S', 'W']), 'ONO');
  assert.equal(compassName('WSW', ['N', 'E', 'S', 'O']), 'OSO');
});

/** [units, the bands, the farthest] */
const words = [
  ['metric', ['< 10', '10 – 25', '> 25'], 'Farthest: 182 km · ENE'],
  ['imperial', ['< 6.2', '6.2 – 15.5', '> 15.5'], 'Farthest: 113 mi · ENE'],
  ['aviation', ['< 5.4', '5.4 – 13.5', '> 13.5'], 'Farthest: 98.5 NM · ENE'],
];
for (const [units, bands, farthest] of words) {
  test(`in words, ${units}`, () => {
    page.useUnits(units);
    const said = [0, 1, 2].map(band => plain(page.bandText(coverage.bands_km, band)));
    const told = plain(page.farthestText(coverage));
    page.useUnits('metric');
    assert.deepEqual(said, bands);
    assert.equal(told, farthest);
  });
}

test('a touched field says its figures', () => {
  assert.equal(plain(page.cellText(coverage, 1, 1)), 'ENE · 10 – 25 km · −95 dBm · Measurements: 10');
  assert.equal(plain(page.cellText(coverage, 3, 1)), 'west · 10 – 25 km · −100 dBm · Measurements: 10');
  assert.equal(page.cellText(coverage, 2, 0), '');
});

test('the horizon in words, if it is known', () => {
  assert.equal(plain(page.horizonText(coverage)), 'Highest horizon: 2.3° high · ENE');
  assert.equal(page.horizonText({ directions: [coverage.directions[2]] }), undefined);
});

test('nothing heard is one sentence', () => {
  const empty = { ...coverage, samples: 0, directions: [coverage.directions[2]] };
  assert.equal(page.farthestText(empty), 'Nothing was heard from a known place yet.');
});
