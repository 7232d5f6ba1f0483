// Where the names of towns stand on the map. It reads nothing but its arguments.

/**
 * @typedef {{left: number, top: number, right: number, bottom: number}} Area  Pixels.
 * @typedef {{x: number, y: number, width: number, height: number}} Wanted  A town's pixel, and its name's size.
 * @typedef {'right' | 'left' | 'above' | 'below'} Side
 */

/** Pixels between a town's dot and its name. */
const gap = 6;
/** Pixels around a name that stay free. */
const margin = 3;

/** @param {Wanted} wanted  @returns {Array<[Side, Area]>}  The best first. */
function candidates({ x, y, width, height }) {
  /** @param {number} left  @param {number} top */
  const area = (left, top) => ({ left, top, right: left + width, bottom: top + height });
  return [
    ['right', area(x + gap, y - height / 2)],
    ['left', area(x - gap - width, y - height / 2)],
    ['above', area(x - width / 2, y - gap - height)],
    ['below', area(x - width / 2, y + gap)],
  ];
}

/** @param {Area} a  @param {Area} b */
const meets = (a, b) =>
  a.left < b.right + margin &&
  b.left < a.right + margin &&
  a.top < b.bottom + margin &&
  b.top < a.bottom + margin;

/**
 * Gives each name the first side on which it hides nothing. A name without room is left out.
 * @param {Wanted[]} wanted  The most important first.
 * @param {Area[]} taken  What may not be hidden.
 * @param {number} most  The most names.
 * @returns {Array<{index: number, side: Side}>}
 */
export function arrange(wanted, taken, most) {
  const areas = [...taken];
  /** @type {Array<{index: number, side: Side}>} */
  const found = [];
  for (let index = 0; index < wanted.length && found.length < most; index++) {
    const { x, y } = wanted[index];
    const dot = { left: x - gap / 2, top: y - gap / 2, right: x + gap / 2, bottom: y + gap / 2 };
    if (areas.some(area => meets(area, dot))) continue;
    const free = candidates(wanted[index]).find(([, area]) => !areas.some(other => meets(area, other)));
    if (!free) continue;
    areas.push(free[1], dot);
    found.push({ index, side: free[0] });
  }
  return found;
}
