// The table of Drive's situations: which target, which numbers, and how old they are.
import assert from 'node:assert/strict';
import test from 'node:test';
import { isGuess, situation, sondeLimit } from '../../deploy/page/drive/situation.js';
import { sondeFrequency } from '../../deploy/page/shared/radio.js';

const car = { latitude: 46.8, longitude: 6.9, altitude_m: 450 };
const far = { distance_m: 23400, bearing_deg: 80, relative_bearing_deg: 10, closing_speed_mps: 12 };
const near = { distance_m: 1200, bearing_deg: 200, relative_bearing_deg: 130, closing_speed_mps: 3 };
const predicted = { latitude: 47, longitude: 7, altitude_m: 600, source: 'predicted' };
const usual = {
  chase: { car, sonde: far, landing: { ...far, bearing_deg: 100 }, margin_s: 720, route: { method: 'osrm' } },
  position: { altitude_m: 8420 },
  flight: { vertical_speed_mps: -6.1 },
  landing: predicted,
  phase: 'descendingBelow10k',
  source: 'ble',
  heardAge: 800,
  carAge: 300,
  landingIn: 2467,
};
const chase = changes => ({ chase: { ...usual.chase, ...changes } });
/** A sonde near the car, and low. */
const nearby = changes => ({ ...chase({ sonde: near }), position: { altitude_m: 900 }, ...changes });
/** The last three columns of the table for the way to the landing point. */
const toLanding = ['landing', 'distance landing_in margin', [23400, 2467, 720]];

/** [name, what differs from the usual flight, target, the ids of the lines, their values] */
const table = [
  ['flying', {}, 'landing', 'distance landing_in margin', [23400, 2467, 720]],
  ['no car', { chase: null }, null, 'altitude landing_in vertical', [8420, 2467, -6.1]],
  [
    'nothing',
    { chase: null, position: null, flight: null, landing: null, landingIn: null },
    null,
    'altitude landing_in vertical',
    [null, null, null],
  ],
  [
    'a resumed flight without a car',
    { chase: null, position: null, flight: { last: { altitude_m: 900 } } },
    null,
    'altitude landing_in vertical',
    [900, 2467, null],
  ],
  [
    'no landing point',
    { landing: null, ...chase({ landing: null }) },
    'sonde',
    'distance closing altitude',
    [23400, 12, 8420],
  ],
  [
    'nothing known of the sonde',
    { landing: null, position: null, ...chase({ landing: null, sonde: null }) },
    'sonde',
    'distance closing altitude',
    [null, null, null],
  ],
  ['near', nearby(), 'sonde', 'distance bearing height', [1200, 130, 450]],
  ['near, but high above', nearby({ position: { altitude_m: 950 } }), ...toLanding],
  ['near, but not heard', nearby({ heardAge: 10001 }), ...toLanding],
  [
    "near by SondeHub's position",
    nearby({ source: 'sondehub', heardAge: 17000 }),
    'sonde',
    'distance bearing height',
    [1200, 130, 450],
  ],
  [
    'near, its height unknown',
    nearby({ position: {} }),
    'sonde',
    'distance bearing height',
    [1200, 130, 150],
  ],
  [
    'near, high above and not heard, no landing point',
    { heardAge: 107000, landing: null, ...chase({ sonde: near, landing: null }) },
    'sonde',
    'distance bearing height',
    [1200, 130, 7970],
  ],
  ['exactly 2 km', nearby(chase({ sonde: { ...near, distance_m: 2000 } })), ...toLanding],
  [
    'observed on the ground',
    { phase: 'landed', landing: { ...predicted, source: 'observed' }, position: { altitude_m: 612 } },
    'sonde',
    'distance bearing height',
    [23400, 10, 162],
  ],
  [
    'landed by guess',
    { phase: 'landed', landing: { ...predicted, source: 'last_prediction' } },
    'landing',
    'distance bearing height',
    [23400, 10, 150],
  ],
  [
    'landed by guess, height unknown',
    { phase: 'landed', landing: { ...predicted, source: 'last_prediction', altitude_m: null } },
    'landing',
    'distance bearing height',
    [23400, 10, null],
  ],
  [
    'landed, the sonde not seen from the car',
    { phase: 'landed', ...chase({ sonde: null }) },
    'sonde',
    'distance bearing height',
    [23400, 10, 7970],
  ],
  [
    'no number that is none',
    { landingIn: Number.NaN, ...chase({ margin_s: '12' }) },
    'landing',
    'distance landing_in margin',
    [23400, null, null],
  ],
];

for (const [name, changes, target, ids, values] of table) {
  test(name, () => {
    const seen = situation({ ...usual, ...changes });
    assert.equal(seen.target, target);
    assert.equal(seen.lines.map(line => line.id).join(' '), ids);
    assert.deepEqual(
      seen.lines.map(line => line.value),
      values,
    );
  });
}

test('an overdue landing says so', () => {
  assert.equal(situation({ ...usual, landingIn: -3 }).lines[1].label, 'overdue');
  assert.equal(situation({ ...usual, landingIn: null }).lines[1].label, 'landingIn');
});

test('a guess is a landing by the last prediction', () => {
  assert.equal(isGuess({ ...usual, phase: 'landed', landing: { source: 'last_prediction' } }), true);
  assert.equal(isGuess({ ...usual, landing: { source: 'last_prediction' } }), false);
});

test('the arrow counts from the nose, else from north', () => {
  const seen = situation(usual);
  assert.deepEqual([seen.turn, seen.other, seen.northUp], [10, 10, false]);
  const standing = { distance_m: 23400, bearing_deg: 80 };
  const still = situation({ ...usual, ...chase({ landing: standing, sonde: null }) });
  assert.deepEqual([still.turn, still.other, still.northUp], [80, null, true]);
});

/** [name, what differs, the ages of the lines, their limits] */
const ages = [
  [
    'the distance to a prediction ages with the car',
    { heardAge: 60000 },
    [300, 60000, 60000],
    [10000, 10000, 10000],
  ],
  ['the rest of a flight ages with the sonde', { carAge: 20000 }, [20000, 800, 20000], [10000, 10000, 10000]],
  ['SondeHub is older', { source: 'sondehub', heardAge: 17000 }, [300, 17000, 17000], [10000, 40000, 40000]],
  [
    'SondeHub is older, the car is not',
    { source: 'sondehub', heardAge: 17000, carAge: 11000 },
    [11000, 17000, 17000],
    [10000, 40000, 10000],
  ],
  [
    'a guess ages with the car',
    { phase: 'landed', heardAge: 600000, landing: { ...predicted, source: 'last_prediction' } },
    [300, 300, 300],
    [10000, 10000, 10000],
  ],
  [
    'an observed landing ages with the car',
    { phase: 'landed', heardAge: 600000, landing: { ...predicted, source: 'observed' } },
    [300, 300, 300],
    [10000, 10000, 10000],
  ],
  ['a near sonde ages with both', nearby({ heardAge: 9000 }), [9000, 9000, 9000], [10000, 10000, 10000]],
];

for (const [name, changes, expected, limits] of ages) {
  test(name, () => {
    const { lines } = situation({ ...usual, ...changes });
    assert.deepEqual(
      lines.map(line => line.age),
      expected,
    );
    assert.deepEqual(
      lines.map(line => line.limit ?? 10000),
      limits,
    );
  });
}

/** [metres to the landing point, the GPS's accuracy, whether the car is there] */
const arrivals = [
  [4, 5, true],
  [5, 5, true],
  [6, 5, false],
  [4, null, false],
  [4, Number.NaN, false],
];

for (const [distance, accuracy, isThere] of arrivals) {
  test(`${distance} m away, accurate to ${accuracy} m`, () => {
    const sight = { ...near, distance_m: distance };
    const there = { car: { ...car, accuracy_m: accuracy }, sonde: sight, landing: sight };
    const seen = situation({ ...usual, ...nearby(chase(there)) });
    assert.equal(seen.target, 'sonde');
    const angle = isThere ? null : 130;
    assert.deepEqual([seen.isThere, seen.turn, seen.other, seen.isSearch], [isThere, angle, angle, false]);
  });
}

test('at the sonde no metres are told that the GPS cannot tell', () => {
  const within = (distance, accuracy) => {
    const sight = { ...near, distance_m: distance };
    const there = { car: { ...car, accuracy_m: accuracy }, sonde: sight, landing: sight };
    return situation({ ...usual, ...nearby(chase(there)) }).lines.map(line => line.within ?? null);
  };
  assert.deepEqual(within(1, 4), [5, null, 10]);
  assert.deepEqual(within(4, 4), [5, null, 10]);
  assert.deepEqual(within(5, 4), [null, null, null]);
  assert.deepEqual(within(6, 6), [10, null, 20]);
  assert.deepEqual(within(4, null), [null, null, null]);
});

test('at a guessed landing point the search begins', () => {
  const sight = { ...near, distance_m: 4 };
  const there = { car: { ...car, accuracy_m: 5 }, landing: sight };
  const landing = { ...predicted, source: 'last_prediction', error_radius_50_m: 1216 };
  const seen = situation({ ...usual, ...chase(there), landing, phase: 'landed' });
  assert.deepEqual([seen.isThere, seen.isSearch, seen.turn, seen.other], [false, true, null, 10]);
  assert.equal(seen.lines[0].radius, 1216);
});

/** [metres to the landing point, its source, its 50 % radius, whether the car is there, around it, what is shown at most] */
const expectations = [
  // A prediction is no place where one is: the sonde will land somewhere around.
  [4, 'predicted', 800, false, true, 800],
  [16, 'predicted', 800, false, true, 800],
  [17, 'predicted', 800, false, false, 800],
  [4, 'predicted', null, false, true, 5],
  [6, 'predicted', null, false, false, 5],
  // A person has set it.
  [4, 'manual', null, true, false, null],
];

for (const [distance, source, radius, isThere, isAround, least] of expectations) {
  test(`in flight, ${distance} m from a landing point: ${source}, ±${radius} m`, () => {
    const sight = { ...near, distance_m: distance };
    const there = { car: { ...car, accuracy_m: 5 }, landing: sight };
    const landing = { ...predicted, source, error_radius_50_m: radius };
    const seen = situation({ ...usual, ...chase(there), landing });
    assert.deepEqual([seen.target, seen.isThere, seen.isAround], ['landing', isThere, isAround]);
    assert.deepEqual([seen.turn, seen.lines[0].least], [isThere || isAround ? null : 130, least]);
  });
}

test('in the middle of a landing area the altitude is worth more than a margin', () => {
  const ids = distance => {
    const landing = { ...predicted, error_radius_50_m: 2500 };
    const away = chase({ landing: { ...near, distance_m: distance } });
    return situation({ ...usual, ...away, landing }).lines.map(line => line.id);
  };
  assert.deepEqual(ids(40), ['distance', 'landing_in', 'altitude']);
  assert.deepEqual(ids(60), ['distance', 'landing_in', 'margin']);
});

test('the distance is no finer than a hundredth of the radius', () => {
  const step = changes => situation({ ...usual, ...changes }).lines[0].step ?? null;
  assert.equal(step({ landing: { ...predicted, error_radius_50_m: 8000 } }), 80);
  assert.equal(step({}), null);
  assert.equal(step(nearby()), null);
});

/** [the report `radio`, who hears the sonde, the sonde's frequency] */
const frequencies = [
  [{ source: 'ble', frequency_mhz: 404.2 }, 'ble', 404.2],
  // The receiver lost the sonde or is away: its frequency is not the sonde's.
  [{ source: 'ble', frequency_mhz: 404.2 }, 'sondehub', null],
  [{ source: 'ble', frequency_mhz: 404.2 }, null, null],
  [{ source: 'sondehub', frequency_mhz: 404.2, sonde_frequency_mhz: 405.1 }, 'sondehub', 405.1],
  [null, 'ble', null],
];

for (const [radio, source, frequency] of frequencies) {
  test(`the sonde's frequency, heard by ${source}: ${frequency}`, () => {
    assert.equal(sondeFrequency(radio, source), frequency);
  });
}

test('what it is given stays as it is', () => {
  const facts = structuredClone(usual);
  situation(facts);
  assert.deepEqual(facts, usual);
  assert.equal(sondeLimit({ ...usual, source: 'sondehub' }), 40000);
});
