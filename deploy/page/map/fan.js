// Fans out markers that share a place. It reads nothing but its arguments.

/**
 * @typedef {{x: number, y: number}} Spot  Pixels.
 */

/**
 * The spots in groups: each lies within `near` of the group's first.
 * @param {Spot[]} spots
 * @param {number} near  Pixels.
 * @returns {number[][]} Indexes.
 */
function groups(spots, near) {
  /** @type {number[][]} */
  const found = [];
  spots.forEach((spot, index) => {
    const mine = found.find(([first]) => Math.hypot(spots[first].x - spot.x, spots[first].y - spot.y) < near);
    if (mine) mine.push(index);
    else found.push([index]);
  });
  return found;
}

/**
 * How far each marker is moved from its place; nothing for one that is alone.
 * A group stands in a ring around its place, the first at the top.
 * @param {Spot[]} spots  Those that stay where they are, then those that give way.
 * @param {number} near  Pixels within which markers hide one another.
 * @param {number} size  A marker's width in pixels: so far apart they stand.
 * @param {number} [fixed]  How many stay where they are.
 * @returns {Spot[]}
 */
export function fan(spots, near, size, fixed = 0) {
  const offsets = spots.map(() => ({ x: 0, y: 0 }));
  for (const members of groups(spots, near)) {
    const moved = members.filter(index => index >= fixed);
    if (members.length < 2) continue;
    const least = moved.length < members.length ? size : size * 0.7;
    const radius = Math.max(least, (size * moved.length) / (2 * Math.PI));
    moved.forEach((index, place) => {
      const angle = (place / moved.length) * 2 * Math.PI;
      offsets[index] = { x: radius * Math.sin(angle), y: -radius * Math.cos(angle) };
    });
  }
  return offsets;
}
