// Markers at one place are fanned out, and each keeps a place of its own.
import assert from 'node:assert/strict';
import test from 'node:test';
import { fan } from '../../deploy/page/map/fan.js';

const near = 18;
const size = 40;
const at = (x, y = 0) => ({ x, y });

/** [name, spots, whether each is moved] */
const table = [
  ['nothing', [], []],
  ['one', [at(5)], [false]],
  ['two apart', [at(0), at(18)], [false, false]],
  ['two at one place', [at(0), at(17)], [true, true]],
  ['two at one place, one apart', [at(0), at(300), at(3)], [true, false, true]],
  ['two groups', [at(0), at(300), at(3), at(301)], [true, true, true, true]],
  ['forty at one place', Array(40).fill(at(9, 9)), Array(40).fill(true)],
];

for (const [name, spots, moves] of table) {
  test(`fanned out: ${name}`, () => {
    const offsets = fan(spots, near, size);
    assert.deepEqual(
      offsets.map(({ x, y }) => Math.hypot(x, y) > 0),
      moves,
    );
    const shown = spots.map((spot, i) => at(spot.x + offsets[i].x, spot.y + offsets[i].y));
    shown.forEach((one, i) => {
      for (const other of shown.slice(i + 1)) {
        // Nobody hides another: a marker's face is 36 pixels wide.
        if (moves[i]) assert.ok(Math.hypot(one.x - other.x, one.y - other.y) >= 36);
      }
    });
  });
}

test('the crew walks to the main markers: others give way to them', () => {
  const spots = [at(0), at(5), at(3), at(300), at(-8)];
  const offsets = fan(spots, near, size, 2);
  assert.deepEqual(
    offsets.map(({ x, y }) => Math.hypot(x, y) > 0),
    [false, false, true, false, true],
  );
  for (const moved of [2, 4]) {
    const shown = at(spots[moved].x + offsets[moved].x, offsets[moved].y);
    for (const fixed of [0, 1]) assert.ok(Math.hypot(shown.x - spots[fixed].x, shown.y) >= 30);
  }
});

test('the same markers stand at the same places again', () => {
  assert.deepEqual(fan([at(0), at(1)], near, size), fan([at(0), at(1)], near, size));
});
