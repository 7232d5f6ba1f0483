// The table of the names on the board's map: how far each moves down.
import assert from 'node:assert/strict';
import test from 'node:test';
import { spread } from '../../deploy/page/board/tags.js';

const at = (x, y, width = 60) => ({ x, y, width });

/** [name, the tags, how far each moves] */
const table = [
  ['nothing', [], []],
  ['alone', [at(10, 10)], [0]],
  ['beside one another', [at(0, 10), at(60, 10)], [0, 0]],
  ['at one place', [at(5, 10), at(5, 10), at(5, 10)], [0, 20, 40]],
  ['a little lower', [at(5, 10), at(30, 18)], [0, 12]],
  ['a little higher', [at(5, 10), at(30, 2)], [0, 28]],
  ['past two', [at(0, 10), at(0, 35), at(0, 12)], [0, 0, 43]],
];

for (const [name, tags, expected] of table) {
  test(name, () => assert.deepEqual(spread(tags, 20), expected));
}
