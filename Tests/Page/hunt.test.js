// The tables of the signal hunt: which signal is shown and when, the tone, the dots, and the bearings' shapes.
import assert from 'node:assert/strict';
import test from 'node:test';
import { wordFor } from '../../deploy/page/drive/advice.js';
import { situation } from '../../deploy/page/drive/situation.js';
import { choose, grade, huntFor, interval, isFresh, percent, pitch } from '../../deploy/page/hunt/signal.js';
import { ahead, ellipse, metres, spot, spotsOf } from '../../deploy/page/hunt/way.js';

const heard = (serial, mean, at) => ({
  report: { serial, rssi_dbm: mean + 1, mean_dbm: mean, peak_dbm: mean + 5, trend: null },
  at,
});
const now = 100000;
const lately = now - 900;

/** [name, what is heard, the followed sonde, the shown one, whose signal is shown, whether another's, who else] */
const choices = [
  ['nothing', [], 'A', 'A', null],
  ['the followed sonde', [heard('A', -90, lately), heard('B', -60, lately)], 'A', 'B', 'A', false, ['B']],
  [
    'nobody is followed: the stronger',
    [heard('A', -90, lately), heard('B', -60, lately)],
    null,
    undefined,
    'B',
  ],
  ['it stays', [heard('A', -90, lately), heard('B', -60, lately)], null, 'A', 'A', false, ['B']],
  ['without a name', [heard(null, -90, lately)], null, null, null, false],
  ['it stays without a name', [heard(null, -90, lately), heard('B', -60, lately)], '', null, null, false],
  ['the followed one fades', [heard('A', -90, now - 10000), heard('B', -60, lately)], 'A', 'A', 'A'],
  ['another one alone', [heard('A', -90, now - 10001), heard('B', -60, lately)], 'A', 'A', 'B', true, []],
  ['all are silent: the newest', [heard('A', -90, 1000), heard('B', -60, 900)], null, null, 'A', false, []],
];
for (const [name, reports, followed, shown, serial, isOther, others] of choices) {
  test(`signal: ${name}`, () => {
    const seen = choose(reports, followed, shown, now);
    assert.equal(seen?.serial ?? null, serial);
    if (isOther !== undefined) assert.equal(seen.isOther, isOther);
    if (others) assert.deepEqual(seen.others, others);
  });
}

test('a frame tells for three seconds how strong the signal is, and never of another sonde', () => {
  const at = age => choose([heard('A', -90, now - age)], 'A', null, now);
  assert.ok(isFresh(at(3000)));
  assert.ok(!isFresh(at(3001)));
  assert.ok(!isFresh(choose([heard('B', -90, now)], 'A', null, now)));
  assert.ok(!isFresh(null));
});

const signal = {
  serial: null,
  rssi: -87,
  mean: -88,
  peak: -80,
  trend: null,
  age: 500,
  isOther: false,
  others: [],
};
const car = { latitude: 46.8, longitude: 6.9 };
const far = { distance_m: 9000, bearing_deg: 80 };
const near = { distance_m: 1500, bearing_deg: 80 };
const placeless = {
  signal,
  chase: { car, sonde: null, landing: null },
  heardAge: Number.POSITIVE_INFINITY,
  carAge: 300,
};
const flown = { position: { altitude_m: 900 }, flight: {}, phase: 'descendingBelow10k', source: 'ble' };
const crossed = { source: 'bearings', error_radius_50_m: 400 };

/** [name, what is known, why the bar is shown, the advice, the target, the lines] */
const hunts = [
  ['never a place', placeless, 'hunt', 'signal', null, 'rssi mean peak'],
  ['never a place, and no car', { ...placeless, chase: null }, 'hunt', 'signal', null, 'rssi mean peak'],
  [
    'silent for a minute',
    { ...placeless, signal: { ...signal, age: 60001 } },
    null,
    'nothing',
    null,
    'rssi mean peak',
  ],
  ['no signal', { ...placeless, signal: null }, null, 'nothing', 'sonde', 'distance closing altitude'],
  [
    'bearings cross',
    { ...placeless, chase: { car, landing: far }, landing: crossed },
    ...['hunt', 'go', 'landing', 'distance bearing rssi'],
  ],
  [
    'bearings cross somewhere',
    { ...placeless, chase: { car, landing: far }, landing: { ...crossed, error_radius_50_m: 8000 } },
    ...['hunt', 'signal', 'landing', 'distance bearing rssi'],
  ],
  [
    'it is down by its silence, and bearings tell where',
    { ...placeless, ...flown, phase: 'landed', chase: { car, landing: far, sonde: far }, landing: crossed },
    ...['hunt', 'guess', 'landing', 'distance bearing height'],
  ],
  [
    'it flies and says no place for a while',
    { ...placeless, ...flown, heardAge: 10001, chase: { car, sonde: far } },
    ...['hunt', 'noPoint', 'sonde', 'distance closing altitude'],
  ],
  [
    'its place is back',
    { ...placeless, ...flown, heardAge: 800, chase: { car, sonde: far } },
    ...[null, 'noPoint', 'sonde', 'distance closing altitude'],
  ],
  [
    'SondeHub knows the place',
    { ...placeless, ...flown, source: 'sondehub', heardAge: 39000, chase: { car, sonde: far } },
    ...[null, 'noPoint', 'sonde', 'distance closing altitude'],
  ],
  [
    'near it',
    { ...placeless, ...flown, heardAge: 800, chase: { car, sonde: near } },
    ...['near', 'noPoint', 'sonde', 'distance bearing height'],
  ],
  [
    'near it on the ground, silent for long',
    {
      ...{ ...placeless, ...flown, phase: 'landed', signal: { ...signal, age: 900000 } },
      ...{ landing: { source: 'observed' }, chase: { car, sonde: near } },
    },
    ...['near', 'landed', 'sonde', 'distance bearing height'],
  ],
  [
    'another sonde only',
    {
      ...placeless,
      ...flown,
      heardAge: 70000,
      signal: { ...signal, isOther: true },
      chase: { car, sonde: far },
    },
    ...[null, 'noPoint', 'sonde', 'distance closing altitude'],
  ],
];
for (const [name, facts, hunt, word, target, lines] of hunts) {
  test(`hunt: ${name}`, () => {
    const s = situation(facts);
    assert.deepEqual(
      [huntFor(facts, s), wordFor(facts, s), s.target, s.lines.map(line => line.id).join(' ')],
      [hunt, word, target, lines],
    );
  });
}

test('the tone rises over two octaves, and gets faster', () => {
  assert.deepEqual([-140, -120, -80, -40, 0].map(pitch), [440, 440, 880, 1760, 1760]);
  assert.deepEqual([-120, -80, -40].map(interval), [1100, 625, 150]);
});

test('the bar and the dots', () => {
  assert.deepEqual([-140, -130, -85, -40, -10].map(percent), [0, 0, 50, 100, 100]);
  assert.deepEqual([-140, -115.1, -115, -100, -85, -70, -20].map(grade), [0, 0, 1, 2, 3, 4, 4]);
});

test('at one place the strongest frame counts; each sonde has its own dots', () => {
  const spots = [];
  const at = (metres, dBm, serial = 'A', mhz = 403.5) =>
    spot(spots, { latitude: 46.8 + metres / 111195, longitude: 6.9, dBm, serial, mhz });
  at(0, -90);
  at(5, -80);
  at(6, -100);
  at(7, -70, 'B');
  at(8, -75, null);
  at(12, -60);
  at(14, -55, null, 404);
  assert.deepEqual(
    spotsOf(spots, 'A', 403.5).map(one => one.dBm),
    [-80, -75, -60],
  );
  assert.deepEqual(
    spotsOf(spots, null, 404).map(one => one.dBm),
    [-55],
  );
  for (let i = 0; i < 4000; i += 1) at(100 + 11 * i, -90);
  assert.ok(spots.length <= 1500);
});

test("a bearing's line and an ellipse have their lengths and directions", () => {
  const north = ahead(car, 0, 1000);
  assert.ok(Math.abs(metres(car, north) - 1000) < 1 && north.longitude === car.longitude);
  const east = ahead({ latitude: 46.8, longitude: 179.999 }, 90, 1000);
  assert.ok(
    east.longitude > 180 && Math.abs(metres({ latitude: 46.8, longitude: 179.999 }, east) - 1000) < 1,
  );
  const outline = ellipse(car, { semi_major_m: 900, semi_minor_m: 300, bearing_deg: 90 });
  const away = outline.map(place => metres(car, place));
  assert.ok(Math.abs(Math.max(...away) - 900) < 2 && Math.abs(Math.min(...away) - 300) < 2);
  // The long axis points east.
  assert.ok(outline[0].longitude > car.longitude && Math.abs(outline[0].latitude - car.latitude) < 1e-4);
  assert.deepEqual(outline.at(-1).latitude.toFixed(6), outline[0].latitude.toFixed(6));
});
