// The labels of the graticule: whole in their tile, and none on another.
import assert from 'node:assert/strict';
import test from 'node:test';
import { labels } from '../../deploy/page/map/graticule.js';

const wanted = (...places) => places.map(at => ({ at, text: `${at}`, width: 40 }));
const places = found => found.map(({ text, left, top }) => [text, left, top]);

/** [name, the longitudes' pixels, the latitudes', the labels: text, left, top] */
const table = [
  [
    'beside their lines',
    [60],
    [100],
    [
      ['60', 63, 3],
      ['100', 3, 83],
    ],
  ],
  ['left of a line at the right edge', [220], [], [['220', 177, 3]]],
  [
    'below a line at the upper edge',
    [120],
    [4],
    [
      ['120', 123, 3],
      ['4', 3, 7],
    ],
  ],
  ['a latitude leaves its room to a longitude', [10], [25], [['10', 13, 3]]],
  [
    'lines that are close',
    [10, 40, 60],
    [],
    [
      ['10', 13, 3],
      ['60', 63, 3],
    ],
  ],
];

for (const [name, longitudes, latitudes, expected] of table) {
  test(name, () => {
    const found = labels(wanted(...longitudes), wanted(...latitudes), 256, 14);
    assert.deepEqual(places(found), expected);
  });
}

test('whole wherever the lines are', () => {
  for (let at = 0; at < 256; at++) {
    const found = labels(wanted(at), wanted(at), 256, 14);
    assert.ok(found.length > 0, `${at}`);
    for (const { left, top, right } of found) assert.ok(left >= 0 && right <= 256 && top >= 0 && top <= 242);
  }
});
