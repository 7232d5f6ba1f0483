// No tick of a chart's axis repeats the one before.
import assert from 'node:assert/strict';
import test from 'node:test';
import { unrepeated } from '../../deploy/page/crew/ticks.js';

const labels = ticks => unrepeated(ticks.map((label, v) => ({ v, label }))).map(tick => tick.label);

test('a chart of two seconds tells each second once', () => {
  assert.deepEqual(labels(['0:01', '0:01', '0:02', '0:02']), ['0:01', '0:02']);
  assert.deepEqual(labels(['0:00', '0:10', '0:20']), ['0:00', '0:10', '0:20']);
  assert.deepEqual(labels(['', '', '0:20']), ['', '', '0:20']);
});
