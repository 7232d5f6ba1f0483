// Where the text of the landing point stands. It reads nothing but its arguments.

/**
 * @typedef {import('./names.js').Area} Area
 * @typedef {{x: number, y: number}} Point  Pixels.
 * @typedef {'' | 'left' | 'under' | 'under back' | 'under on' | 'over' | 'over back' | 'over on'} Side  To the right of
 *   the point, left of it, below or above it. `back` ends at the point, `on` begins there.
 */

/** Pixels from the point to a text beside it, and to one below or above it. */
const gap = { beside: 22, below: 24 };
/** The height of a line and of two, with the frame. */
const heights = { one: 24, two: 44 };
/** Pixels around a marker's middle, and around a place of the way, that a text leaves free. */
const free = { mark: 22, way: 6 };

/**
 * @param {Point} at
 * @param {number} width
 * @param {number} most
 * @returns {Array<[Side, Area]>}  The best first.
 */
function candidates({ x, y }, width, most) {
  /** @param {number} left  @param {number} top  @param {number} wide  @param {number} high */
  const area = (left, top, wide, high) => ({ left, top, right: left + wide, bottom: top + high });
  const narrow = Math.min(width, most);
  const high = width > most ? heights.two : heights.one;
  const under = y + gap.below;
  const over = y - gap.below - high;
  return [
    ['', area(x + gap.beside, y - heights.one / 2, width, heights.one)],
    ['left', area(x - gap.beside - width, y - heights.one / 2, width, heights.one)],
    ['under', area(x - narrow / 2, under, narrow, high)],
    ['over', area(x - narrow / 2, over, narrow, high)],
    ['under on', area(x, under, narrow, high)],
    ['under back', area(x - narrow, under, narrow, high)],
    ['over on', area(x, over, narrow, high)],
    ['over back', area(x - narrow, over, narrow, high)],
  ];
}

/** @param {Area} area  @param {Area} room */
const isIn = (area, room) =>
  area.left >= room.left && area.right <= room.right && area.top >= room.top && area.bottom <= room.bottom;

/** @param {Area} area  @param {Point} point  @param {number} by */
const isNear = (area, point, by) =>
  point.x > area.left - by &&
  point.x < area.right + by &&
  point.y > area.top - by &&
  point.y < area.bottom + by;

/**
 * The first side that is inside the map and hides neither a marker nor the way; else one that hides the least of them.
 * @param {Point} at
 * @param {number} width  Pixels of the text on one line.
 * @param {number} most   Pixels of the widest text below or above the point: a longer one takes two lines.
 * @param {Area} room     What the buttons leave of the map.
 * @param {Point[]} marks
 * @param {Point[]} way
 * @returns {Side}
 */
export function beside(at, width, most, room, marks, way) {
  const found = candidates(at, width, most)
    .filter(([, area]) => isIn(area, room))
    .map(([side, area]) => ({
      side,
      marks: marks.filter(mark => isNear(area, mark, free.mark)).length,
      way: way.filter(point => isNear(area, point, free.way)).length,
    }));
  const best = found.sort((a, b) => a.marks - b.marks || a.way - b.way)[0];
  return best?.side ?? 'under';
}

/**
 * Points along a line, no farther apart than a text is high.
 * @param {Point[]} corners
 * @returns {Point[]}
 */
export function along(corners) {
  return corners.flatMap((to, i) => {
    const from = corners[i - 1] ?? to;
    const count = Math.min(200, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / (heights.one / 2))) || 1;
    return Array.from({ length: count }, (_, k) => ({
      x: to.x + ((from.x - to.x) * k) / count,
      y: to.y + ((from.y - to.y) * k) / count,
    }));
  });
}
