// Names of towns give way to one another and to what is taken.
import assert from 'node:assert/strict';
import test from 'node:test';
import { arrange } from '../../deploy/page/map/names.js';

const at = (x, y, width = 40) => ({ x, y, width, height: 16 });
const area = (left, top, right, bottom) => ({ left, top, right, bottom });

/** [name, wanted, taken, most, the sides by index] */
const table = [
  ['one alone', [at(100, 100)], [], 9, { 0: 'right' }],
  ['two far apart', [at(100, 100), at(300, 100)], [], 9, { 0: 'right', 1: 'right' }],
  ['the second one on the right gives way', [at(100, 100), at(90, 100)], [], 9, { 0: 'right', 1: 'left' }],
  ['no name on another town', [at(130, 100), at(100, 100)], [], 9, { 0: 'right', 1: 'left' }],
  ['a marker on the right', [at(100, 100)], [area(106, 90, 140, 110)], 9, { 0: 'left' }],
  [
    'markers on both sides',
    [at(100, 100)],
    [area(112, 97, 140, 103), area(60, 97, 88, 103)],
    9,
    { 0: 'above' },
  ],
  ['below a marker', [at(100, 100)], [area(0, 0, 200, 200)], 9, {}],
  ['one place twice', [at(100, 100), at(100, 100)], [], 9, { 0: 'right' }],
  ['no more than allowed', [at(0, 0), at(100, 0), at(200, 0)], [], 2, { 0: 'right', 1: 'right' }],
];

for (const [name, wanted, taken, most, sides] of table) {
  test(`names: ${name}`, () => {
    const found = arrange(wanted, taken, most);
    assert.deepEqual(Object.fromEntries(found.map(({ index, side }) => [index, side])), sides);
  });
}
