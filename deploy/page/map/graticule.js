// Where the labels of the graticule stand in a tile. It reads nothing but its arguments.

/**
 * @typedef {{at: number, text: string, width: number}} Wanted  A line's pixel, and its label with its width.
 * @typedef {{text: string, left: number, top: number, right: number}} Label
 */

/** Pixels between a line and its label. */
const gap = 3;

/**
 * A tile cuts a label that leaves it, and a cut number is a wrong one. So each label is whole, on one side of
 * its line or the other, or is left out. No label lies on another.
 * @param {Wanted[]} longitudes  From left to right.
 * @param {Wanted[]} latitudes
 * @param {number} side    The tile's, pixels.
 * @param {number} height  Of a letter, pixels.
 * @returns {Label[]}
 */
export function labels(longitudes, latitudes, side, height) {
  /** @type {Label[]} */
  const found = [];
  /** @param {string} text  @param {number} left  @param {number} top  @param {number} width */
  const add = (text, left, top, width) => {
    const right = left + width;
    const isIn = left >= 0 && right <= side && top >= 0 && top + height <= side;
    /** @param {Label} one */
    const hides = one => left < one.right && one.left < right && Math.abs(top - one.top) < height;
    if (isIn && !found.some(hides)) found.push({ text, left, top, right });
  };
  for (const { at, text, width } of longitudes) {
    const hasRoom = at + gap + width <= side;
    add(text, hasRoom ? at + gap : at - gap - width, gap, width);
  }
  for (const { at, text, width } of latitudes) {
    const hasRoom = at - gap - height >= 0;
    add(text, gap, hasRoom ? at - gap - height : at + gap, width);
  }
  return found;
}
