// The side of the landing point on which its text stands.
import assert from 'node:assert/strict';
import test from 'node:test';
import { along, beside } from '../../deploy/page/map/beside.js';

/** A phone: the buttons begin at 290. */
const room = { left: 4, top: 4, right: 286, bottom: 620 };
const most = 179;

/** [name, the point, the text's width, markers, the way's corners, the side] */
const table = [
  ['there is room on the right', [60, 350], 200, [], [], ''],
  ['no room on the right', [270, 350], 200, [], [], 'left'],
  ['no room on either side', [150, 350], 200, [], [], 'under'],
  ['a wide text near the left edge', [60, 350], 250, [], [], 'under on'],
  ['a wide text near the buttons', [250, 350], 260, [], [], 'under back'],
  ['at the lower edge', [150, 600], 200, [], [], 'over'],
  ['the car comes from the right', [60, 350], 150, [[130, 355]], [], 'over on'],
  ['the car comes from below', [150, 350], 200, [[150, 390]], [], 'over'],
  [
    'the way comes from below',
    [150, 350],
    200,
    [],
    [
      [150, 600],
      [150, 350],
    ],
    'over',
  ],
  [
    'the way comes from the right',
    [60, 350],
    150,
    [],
    [
      [280, 350],
      [60, 350],
    ],
    'under on',
  ],
  [
    'the sonde above, the way from below',
    [100, 350],
    200,
    [[100, 310]],
    [
      [20, 600],
      [100, 350],
    ],
    'under on',
  ],
  [
    'no side is free of markers: the way is hidden first',
    [150, 350],
    300,
    [],
    [
      [150, 600],
      [150, 350],
    ],
    'over',
  ],
  ['outside', [-300, 350], 200, [], [], 'under'],
];

const point = ([x, y]) => ({ x, y });
for (const [name, at, width, marks, way, side] of table) {
  test(`the landing point's text: ${name}`, () => {
    const found = beside(point(at), width, most, room, marks.map(point), along(way.map(point)));
    assert.equal(found, side);
  });
}

test('a line is told by points close together, from end to end', () => {
  const points = along([point([0, 0]), point([0, 100]), point([30, 100])]);
  const steps = points.map((p, i) => (i ? Math.hypot(p.x - points[i - 1].x, p.y - points[i - 1].y) : 0));
  assert.deepEqual(points[0], { x: 0, y: 0 });
  assert.ok(points.some(p => p.x === 30 && p.y === 100) && points.some(p => p.x === 0 && p.y === 100));
  assert.ok(Math.max(...steps.filter(s => s < 90)) <= 36);
  assert.deepEqual(along([]), []);
});
