// Moves names that would hide one another. It reads nothing but its arguments.

/**
 * @typedef {{x: number, y: number, width: number}} Tag  A place and the width of its name, in pixels.
 */

/**
 * How far each name moves down, in pixels. The first stays; each later one passes those that it would hide.
 * @param {Tag[]} tags    The most important first.
 * @param {number} height  Of a name.
 * @returns {number[]}
 */
export function spread(tags, height) {
  /** @type {Array<{x: number, y: number, width: number}>} */
  const set = [];
  return tags.map(({ x, y, width }) => {
    let down = 0;
    const hidden = () =>
      set.find(one => x < one.x + one.width && one.x < x + width && Math.abs(y + down - one.y) < height);
    for (let other = hidden(); other; other = hidden()) down = other.y + height - y;
    set.push({ x, y: y + down, width });
    return down;
  });
}
