// A flight of the logbook in words: what nobody knows is left out.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load, plain, tell } from './page.js';

const page = await load(['crew/logbook.js', 'shared/stream.js']);
const mark = (time, altitude_m) => ({ latitude: 10, longitude: -40, altitude_m, time });
const flight = {
  serial: 'V4210150',
  sonde_type: 'RS41',
  first_at: '2026-11-28T11:00:00.000Z',
  last: mark('2026-11-28T13:20:00.000Z', 431.2),
  highest_m: 33121.4,
  launch: mark('2026-11-28T11:00:00.000Z', 490),
  burst: mark('2026-11-28T12:45:00.000Z', 33121.4),
  landing: mark('2026-11-28T13:19:00.000Z', 431.2),
  drive: { from: '2026-11-28T12:10:00.000Z', to: '2026-11-28T13:52:00.000Z', driven_m: 61234.5 },
  arrived_at: '2026-11-28T13:41:00.000Z',
  receiver: { firmware: '2.30', restarts: 2, losses: 0 },
  recovery: 'recovered HB9XYZ',
  note: 'In a spruce.',
};
const unknown = {
  launch: null,
  burst: null,
  landing: null,
  drive: null,
  arrived_at: null,
  receiver: null,
  recovery: null,
  note: null,
};
const place = '10.00000, -40.00000';
/** A time as this machine's zone has it. */
const at = iso =>
  new Date(iso).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

function lines(changes = {}, clock_synced = true) {
  tell(page, { alive: { at: '2026-11-29T12:00:00Z', clock_synced } });
  return page.lines({ ...flight, ...changes }).map(([name, text]) => `${name}: ${plain(text)}`);
}

test('a whole flight', () => {
  assert.deepEqual(lines(), [
    `Launch: ${at(flight.launch.time)} · 490 m · ${place}`,
    `Burst: ${at(flight.burst.time)} · 33 121 m · ${place}`,
    `Landing: ${at(flight.landing.time)} · 431 m · ${place}`,
    'Highest: 33 121 m',
    `Drive: 61.2 km · ${at(flight.drive.from)} – ${at(flight.drive.to)}`,
    `At the place: ${at(flight.arrived_at)}`,
    'Receiver: 2.30 · restarts: 2',
    'Recovery: Recovered · HB9XYZ',
    'Note: In a spruce.',
  ]);
});

test('a flight of which nearly nothing is known says where it was last heard', () => {
  assert.deepEqual(lines(unknown), [
    `Last heard: ${at(flight.last.time)} · 431 m · ${place}`,
    'Highest: 33 121 m',
  ]);
  assert.deepEqual(lines({ ...unknown, last: null, highest_m: null }), []);
});

test('without a set clock there are no times of day', () => {
  assert.deepEqual(lines({ ...unknown, drive: flight.drive, arrived_at: flight.arrived_at }, false), [
    `Last heard: 431 m · ${place}`,
    'Highest: 33 121 m',
    'Drive: 61.2 km',
  ]);
});

/** [as it is recorded, in words] */
const recoveries = [
  ['not_found F4ABC', 'Not found · F4ABC'],
  ['recovered', 'Recovered'],
  ['planned A B', 'Recovery planned · A B'],
  ['lost X', 'lost · X'],
];
for (const [recovery, words] of recoveries) {
  test(`"${recovery}" is "${words}"`, () => {
    assert.deepEqual(lines({ ...unknown, last: null, highest_m: null, recovery }), [`Recovery: ${words}`]);
  });
}

test('the line that opens it', () => {
  lines();
  assert.match(plain(page.headline(flight)), /2026.* · V4210150 · RS41 · Recovered$/);
  assert.match(plain(page.headline({ ...flight, ...unknown, sonde_type: null })), /2026.* · V4210150$/);
});
