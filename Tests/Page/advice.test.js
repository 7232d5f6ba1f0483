// The table of Drive's advice: which word, after which time, and how much direction the dial shows.
import assert from 'node:assert/strict';
import test from 'node:test';
import { advise, dial, doubt, wordFor } from '../../deploy/page/drive/advice.js';
import { marginLevel, situation } from '../../deploy/page/drive/situation.js';

const sight = { distance_m: 30000, bearing_deg: 80, relative_bearing_deg: 10 };
const landing = { latitude: 47, longitude: 7, source: 'predicted', error_radius_50_m: 1000 };
const usual = {
  chase: { car: {}, sonde: { ...sight, distance_m: 25000 }, landing: sight, margin_s: 600 },
  position: { altitude_m: 20000 },
  flight: {},
  landing,
  phase: 'ascending',
  source: 'ble',
  heardAge: 800,
  carAge: 300,
  landingIn: 4000,
  isSilent: false,
};
const doubtful = radius => ({ landing: { ...landing, error_radius_50_m: radius } });
const away = distance => ({ chase: { ...usual.chase, landing: { ...sight, distance_m: distance } } });

/** [name, what differs from the usual flight, the word, what the dial shows] */
const table = [
  ['a known place', {}, 'go', 'needle'],
  ['exactly a third', doubtful(10000), 'go', 'needle'],
  ['more than a third', doubtful(10010), 'towards', 'sector'],
  ['nearly half the distance', doubtful(14990), 'towards', 'sector'],
  ['half the distance', doubtful(15000), 'wait', 'area'],
  ['larger than the distance', doubtful(54000), 'wait', 'area'],
  ['the same in the last minutes', { ...doubtful(54000), landingIn: 300 }, 'wait', 'area'],
  ['no radius is known', doubtful(null), 'go', 'needle'],
  ['set by hand', { landing: { ...landing, source: 'manual', error_radius_50_m: 54000 } }, 'go', 'needle'],
  ['no car', { chase: null }, 'noCar', 'none'],
  ['nothing at all', { chase: null, position: null, flight: null, landing: null }, 'nothing', 'none'],
  ['nobody hears it', { isSilent: true, source: null }, 'silent', 'sector'],
  ['nobody hears it, and no radius', { isSilent: true, ...doubtful(null) }, 'silent', 'needle'],
  [
    'seen on the ground',
    { phase: 'landed', landing: { ...landing, source: 'observed' } },
    'landed',
    'needle',
  ],
  ['landed, and no car', { phase: 'landed', chase: null }, 'landed', 'none'],
  [
    'landed, nobody saw it',
    { phase: 'landed', landing: { ...landing, source: 'last_prediction' } },
    'guess',
    'sector',
  ],
  [
    'it comes down near the car',
    {
      chase: { ...usual.chase, sonde: { ...sight, distance_m: 900 } },
      position: { altitude_m: 400 },
      ...{ phase: 'descendingBelow10k' },
    },
    'look',
    'needle',
  ],
  ['no landing point', { landing: null, chase: { ...usual.chase, landing: null } }, 'noPoint', 'needle'],
];

for (const [name, changes, word, form] of table) {
  test(`advice: ${name}`, () => {
    const facts = { ...usual, ...changes };
    const seen = situation(facts);
    assert.equal(wordFor(facts, seen), word);
    assert.equal(dial(word, facts, seen).form, form);
  });
}

test('the sector is as wide as the circle is seen from the car', () => {
  const facts = { ...usual, ...doubtful(14999) };
  assert.equal(Math.round(dial('towards', facts, situation(facts)).half), 30);
  assert.equal(doubt(54000, 45000), 1.2);
  assert.equal(doubt(null, 45000), 0);
  assert.equal(doubt(10, 0), Number.POSITIVE_INFINITY);
});

test('in the middle of the landing area the dial shows the area', () => {
  const shown = (radius, distance, changes = {}) => {
    const facts = { ...usual, ...doubtful(radius), ...away(distance), ...changes };
    const seen = situation(facts);
    assert.equal(seen.turn, null);
    return dial('wait', facts, seen);
  };
  assert.deepEqual(shown(2500, 25), { form: 'area', half: 180, share: 100 });
  assert.equal(shown(2500, 0).share, Number.POSITIVE_INFINITY);
  const guess = { phase: 'landed', landing: { ...landing, source: 'last_prediction' } };
  assert.equal(shown(1000, 10, guess).form, 'area');
  // Where it was seen, the sonde is here.
  const seen = { phase: 'landed', landing: { ...landing, source: 'observed' } };
  const here = { ...usual.chase, car: { accuracy_m: 5 }, sonde: { ...sight, distance_m: 3 } };
  assert.equal(shown(1000, 3, { ...seen, chase: here }).form, 'none');
});

test('no needle while the place is uncertain, whatever the driver still reads', () => {
  const facts = { ...usual, ...doubtful(12000) };
  assert.equal(dial('go', facts, situation(facts)).form, 'sector');
  const certain = { ...usual, ...doubtful(9000) };
  assert.equal(dial('towards', certain, situation(certain)).form, 'sector');
});

/** The words of a flight: [milliseconds, radius] one after another. */
function words(steps, changes = {}) {
  let held = { word: 'nothing', next: null, since: 0 };
  return steps.map(([now, radius]) => {
    const facts = { ...usual, ...doubtful(radius), ...changes };
    held = advise(held, facts, situation(facts), now);
    return held.word;
  });
}

/** [name, the steps, the words] */
const flights = [
  [
    'a more certain word holds for a minute before it is said',
    [
      [0, 40000],
      [1000, 11000],
      [60999, 11000],
      [61000, 11000],
    ],
    'wait wait wait towards',
  ],
  [
    'what comes and goes is never said',
    [
      [0, 40000],
      [1000, 11000],
      [50000, 40000],
      [70000, 11000],
      [120000, 11000],
    ],
    'wait wait wait wait wait',
  ],
  [
    'a direction must be clearly known before it is told, and is taken back at once',
    [
      [0, 40000],
      [1000, 12000],
      [90000, 12000],
      [100000, 11000],
      [170000, 11000],
      [180000, 14900],
      [300000, 15100],
      [301000, 12000],
      [400000, 11000],
      [470000, 11000],
    ],
    'wait wait wait wait towards towards wait wait wait towards',
  ],
];

for (const [name, steps, expected] of flights) {
  test(name, () => assert.equal(words(steps).join(' '), expected));
}

test('from waiting to a known place it is said at once', () => {
  assert.equal(
    words([
      [0, 40000],
      [1000, 1000],
    ]).join(' '),
    'wait go',
  );
});

test('in the last ten minutes one who waits is in the area', () => {
  assert.deepEqual(words([[0, 54000]], { landingIn: 599 }), ['area']);
});

test('an event is said at once', () => {
  let held = advise({ word: 'nothing', next: null, since: 0 }, usual, situation(usual), 0);
  const landed = { ...usual, phase: 'landed', landing: { ...landing, source: 'observed' } };
  held = advise(held, landed, situation(landed), 1000);
  assert.equal(held.word, 'landed');
  held = advise(held, { ...usual, chase: null }, situation({ ...usual, chase: null }), 2000);
  assert.equal(held.word, 'noCar');
  assert.equal(advise(held, usual, situation(usual), 3000).word, 'go');
});

test('a car that comes nearer is told by the distance', () => {
  const facts = { ...usual, ...doubtful(10000), ...away(9000) };
  assert.equal(wordFor(facts, situation(facts)), 'wait');
});

/** [seconds, by the straight line, the level] */
const margins = [
  [1740, false, 'good'],
  [301, false, 'good'],
  [300, false, 'care'],
  [-599, false, 'care'],
  [-600, false, 'bad'],
  [1740, true, null],
  [null, false, null],
];
for (const [seconds, isStraight, level] of margins) {
  test(`a margin of ${seconds} s${isStraight ? ' by the straight line' : ''} is ${level}`, () => {
    assert.equal(marginLevel(seconds, isStraight), level);
  });
}
