// What listens to the gateway's reports and to the commands.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load, tell } from './page.js';

const page = await load(['shared/stream.js', 'shared/command.js']);

/** Calls `act` and returns what it writes to the console as errors. */
function errorsOf(act) {
  const { error } = console;
  const errors = [];
  console.error = one => errors.push(one);
  try {
    act();
  } finally {
    console.error = error;
  }
  return errors;
}

test('a listener that fails leaves the reports to the others, and the console says why', () => {
  const heard = [];
  const fault = new Error('a part of the page fails');
  page.listen(() => {
    throw fault;
  }, 'flight');
  page.listen(kind => heard.push(kind), 'flight');
  const errors = errorsOf(() => tell(page, { flight: { track_points: 3 }, landing: {} }));
  assert.deepEqual(heard, ['flight']);
  assert.deepEqual(errors, [fault]);
});

test('a control that fails to draw leaves the others to show a command', () => {
  const seen = [];
  const fault = new Error('a control fails');
  page.onAsked(() => {
    throw fault;
  });
  page.onAsked(() => seen.push(page.asked.Mute));
  // The limit for the answer would keep the test waiting.
  const { setTimeout } = globalThis;
  globalThis.setTimeout = () => 0;
  const errors = errorsOf(() => page.send({ mute: true }, 'Mute', 'on'));
  globalThis.setTimeout = setTimeout;
  assert.deepEqual(seen, ['on']);
  assert.deepEqual(errors, [fault]);
});
