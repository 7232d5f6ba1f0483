// The figures and words of Drive, the ribbon and all data: no better than what is known, and never better than the truth.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load, plain, tell } from './page.js';

const page = await load([
  'drive/words.js',
  'shared/units.js',
  'drive/ribbon.js',
  'drive/sentences.js',
  'map/status.js',
  'shared/stream.js',
]);
const minutes = count => count * 60;

/** [seconds early, what the landing may be off, seconds to the landing, as Drive says it] */
const margins = [
  // Half of the landings are 23 min off, and the landing is told as in 60 min.
  [minutes(53.4), minutes(23), minutes(64), '≈ 45 min early'],
  [minutes(8), minutes(23), minutes(64), '<15 min early'],
  // Told as in 60 min, the landing leaves 55 of the 62 min.
  [minutes(62), minutes(23), minutes(67), '≈ 45 min early'],
  [minutes(60), minutes(23), minutes(70), '≈ 60 min early'],
  [minutes(29), minutes(12), null, '≈ 20 min early'],
  [minutes(29), minutes(0), minutes(60), '29 min early'],
  [minutes(-29), minutes(2.2), minutes(60), '≈ 28 min late'],
  [-8100, 700, null, '≈ 2 h 10 late'],
  [8100, 0, null, '2 h 15 early'],
  [7200, 0, null, '2 h early'],
  [59, 0, null, '<1 min early'],
  [null, 0, null, '–'],
];

for (const [seconds, off, left, expected] of margins) {
  test(`a margin of ${seconds} s, the landing ±${off} s in ${left} s: ${expected}`, () => {
    assert.equal(plain(page.text(page.marginText(seconds, off, left))), expected);
  });
}

test('whoever waits is told no more time than there is', () => {
  const line = { id: 'margin', label: 'margin', age: 0, isStraight: true };
  const say = (value, off, left) =>
    plain(page.text(page.lineText({ ...line, value, off, left }, {}, 'wait').figure));
  assert.equal(say(minutes(53.4), minutes(23), minutes(64)), '≈ 45 min');
  assert.equal(say(minutes(8), minutes(23), minutes(64)), '<15 min');
  assert.equal(say(minutes(8.9), 0, minutes(64)), '8 min');
});

test('the time in hand is never more than the landing and the arrival beside it leave', () => {
  const numbers = figure => Number(/\d+/.exec(figure[0])?.[0]);
  for (let left = 40; left < 95; left++)
    for (const off of [0, 70, 130, 320, 700, 1000, 1380, 1900])
      for (const arrival of [1, 11, 25]) {
        const figure = page.slack(minutes(left - arrival), off, minutes(left));
        const gap = numbers(page.countdown(minutes(left), off)) - arrival;
        const said = figure[0].startsWith('<') ? 0 : numbers(figure);
        assert.ok(said <= gap && said <= left - arrival, `${left} ${off} ${arrival}: ${figure} > ${gap}`);
      }
});

/** [metres from the town, metres by which the place may be off, the place in words with it] */
const places = [
  [4800, 1300, '5 km north-west of Morteau ± 1.3 km'],
  [4800, 150, '4.8 km north-west of Morteau ± 150 m'],
  [4800, 4000, '4 km north-west of Morteau ± 4 km'],
  [900, 4000, 'Morteau ± 4 km'],
  [4800, 27000, 'Morteau ± 27 km'],
  [4800, null, '4.8 km north-west of Morteau'],
];
const near = distance => ({ name: 'Morteau', distance_m: distance, bearing_deg: 315 });

for (const [distance, radius, expected] of places) {
  test(`a landing point ${distance} m from a town, ±${radius} m`, () => {
    const l = { source: 'predicted', near: near(distance), error_radius_50_m: radius };
    assert.equal(plain(page.landingTown(l)), expected);
  });
}

/** [units, metres from the town, metres by which the place may be off, the place in words] */
const foreign = [
  ['imperial', 1000, null, '3 500 ft north-west of Morteau'],
  ['imperial', 1400, null, '4 500 ft north-west of Morteau'],
  ['imperial', 4800, null, '3 mi north-west of Morteau'],
  ['imperial', 4800, 4000, '2 mi north-west of Morteau ± 2.5 mi'],
  ['aviation', 4800, null, '2.6 NM north-west of Morteau'],
];
for (const [units, distance, radius, expected] of foreign) {
  test(`a place ${distance} m from a town in round ${units} units`, () => {
    page.useUnits(units);
    const l = { source: 'predicted', near: near(distance), error_radius_50_m: radius };
    assert.equal(plain(page.landingTown(l)), expected);
    page.useUnits('metric');
  });
}

test('what somebody saw has no doubt', () => {
  const l = { source: 'observed', near: near(4800), error_radius_50_m: 1300 };
  assert.equal(plain(page.landingTown(l)), '4.8 km north-west of Morteau');
});

test('no place of a landing point goes without its doubt', () => {
  const l = { latitude: 47.19095, longitude: 6.47223, source: 'predicted', error_radius_50_m: 27100 };
  assert.equal(plain(page.landingPlace(l)), '47.19095, 6.47223 ± 27 km');
  assert.equal(plain(page.landingPlace({ ...l, near: near(900) })), '47.19095, 6.47223 · Morteau ± 27 km');
  assert.equal(plain(page.landingPlace({ ...l, source: 'manual' })), '47.19095, 6.47223');
  assert.equal(page.landingPlace(null), null);
});

/** [metres, metres of the radius, as it is told] */
const distances = [
  [9960, 36000, '10 km ± 36 km'],
  [26520, 27000, '27 km ± 27 km'],
  [26520, 9000, '26.5 km ± 9 km'],
  [620, 590, '620 m ± 590 m'],
];
for (const [metres, radius, expected] of distances) {
  test(`${metres} m to a landing point ± ${radius} m has no finer digits than that`, () => {
    const l = { source: 'predicted', error_radius_50_m: radius };
    assert.equal(plain(page.landingAway(l, metres)), expected);
    const line = { id: 'distance', label: 'toLanding', age: 0, value: metres, step: radius / 100, radius };
    const { figure, doubt } = page.lineText(line, {});
    assert.equal(plain(`${page.text(figure)} ± ${page.text(doubt)}`), expected);
  });
}

const began = Date.parse('2026-11-25T12:00:00Z');

/** What the ribbon says at the burst.  @param {any} reports */
function burstLabel(reports) {
  tell(page, reports);
  const mark = { at: page.gatewayTime() + minutes(53.4) * 1000, x: 50, y: 50 };
  const drawn = { now: { ...mark, at: page.gatewayTime() }, burst: mark, landing: null, arrival: null };
  return plain(page.labels(drawn).at(-1).text);
}

test('an expected burst is told no more exactly than the landing, in words of the right order', () => {
  const alive = { at: new Date(began).toISOString(), clock_synced: false };
  const landing = { landing_error_50_s: minutes(23) };
  assert.equal(burstLabel({ alive, landing }), 'burst in ≈ 60 min');
  assert.equal(burstLabel({ alive, landing: { landing_error_50_s: minutes(2) } }), 'burst in ≈ 54 min');
  assert.equal(burstLabel({ alive }), 'burst in ≈ 53 min');
});

/** [the landing point's source, what the small print says of its age] */
const origins = [
  ['predicted', 'predicted 5 min ago'],
  ['stored', 'predicted 5 min ago'],
  ['bearings', 'by bearings · 5 min old'],
  ['manual', ''],
  ['observed', ''],
];
for (const [source, expected] of origins) {
  test(`a landing point five minutes old, ${source}`, () => {
    tell(page, { alive: { at: new Date(began).toISOString() }, landing: { source, age_ms: 301_000 } });
    assert.equal(plain(page.smallPrint({ target: 'landing' })).toLowerCase(), expected);
  });
}

test('at the sonde the numbers stand still', () => {
  const say = (id, value, within) =>
    plain(page.text(page.lineText({ id, label: id, age: 0, value, within }, {}).figure));
  assert.deepEqual(
    [0.2, 3, 5].map(v => say('distance', v, 5)),
    ['<5 m', '<5 m', '<5 m'],
  );
  assert.deepEqual(
    [-7, 2, 12].map(v => say('height', v, 10)),
    ['<10 m', '<10 m', '+12 m'],
  );
  assert.equal(say('distance', 6, null), '6 m');
  assert.equal(say('height', null, 10), '–');
});

test('a landing says when it was, with the clock set or not', () => {
  const heading = (isSet, reports) => {
    const alive = { at: new Date(began).toISOString(), clock_synced: isSet };
    tell(page, { alive, ...reports });
    return plain(page.sentence('landed', { sight: null }).heading);
  };
  const flight = { landed: { time: new Date(began - 250_000).toISOString() } };
  assert.equal(heading(false, { flight }), 'LANDED 4 min ago');
  assert.match(heading(true, { flight }), /^LANDED \d\d:\d\d$/);
  assert.equal(heading(false, {}), 'LANDED');
  // One that is yet to come is no landing.
  const landing = { landing_at: new Date(began + 250_000).toISOString() };
  assert.equal(heading(false, { landing }), 'LANDED');
});

/** [the phase, metres a second upwards, as Drive and the Map say it] */
const motions = [
  ['ascending', 4.94, 'climbing 4.9 m/s'],
  ['descendingBelow10k', -13.2, 'falling 13.2 m/s'],
  ['descendingAbove10k', -13.2, 'falling 13.2 m/s'],
  ['ascending', -0.3, 'climbing −0.3 m/s'],
  ['ascending', null, 'climbing'],
  ['landed', null, 'landed'],
];
for (const [phase, speed, expected] of motions) {
  test(`${phase} at ${speed} m/s: "${expected}"`, () => {
    tell(page, { state: { phase, serial: undefined }, alive: { at: new Date(began).toISOString() } });
    assert.equal(plain(page.motionText(speed)), expected);
  });
}

test('where to look is told apart from the distance to the landing point', () => {
  const sonde = { bearing_deg: 107.2, elevation_deg: 19.3, distance_m: 8800 };
  tell(page, { chase: { car: {}, sonde }, alive: { at: new Date(began).toISOString() } });
  assert.equal(plain(page.look({ isThere: false })), 'look east 107°, 19° high, 8.8 km away');
  assert.equal(page.look({ isThere: true }), null);
});

test('how high a sonde stands is not said while the height of the car is unknown', () => {
  const sonde = { bearing_deg: 107.2, elevation_deg: null, distance_m: 8800 };
  tell(page, { chase: { car: {}, sonde }, alive: { at: new Date(began).toISOString() } });
  assert.equal(plain(page.look({ isThere: false })), 'look east 107°, 8.8 km away');
});
