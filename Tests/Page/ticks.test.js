// The labels of a chart's axis: none repeats the one before, and each has room.
import assert from 'node:assert/strict';
import test from 'node:test';
import { labelWidth, unrepeated } from '../../deploy/page/crew/ticks.js';

const labels = ticks => unrepeated(ticks.map((label, v) => ({ v, label }))).map(tick => tick.label);

test('a chart of two seconds tells each second once', () => {
  assert.deepEqual(labels(['0:01', '0:01', '0:02', '0:02']), ['0:01', '0:02']);
  assert.deepEqual(labels(['0:00', '0:10', '0:20']), ['0:00', '0:10', '0:20']);
  assert.deepEqual(labels(['', '', '0:20']), ['', '', '0:20']);
});

test('a long unit has room behind the number', () => {
  // Dygraphs writes with 14 pixels: a sign takes 8 of them.
  assert.ok(labelWidth('ft/min') >= 8 * '−2 000 ft/min'.length);
  for (const unit of ['m', 'm/s', 'dBm', 'ft']) assert.equal(labelWidth(unit), 84);
});
