// The town whose name tells best where a place is: the gateway names the landing point by the same rule. It reads nothing
// but its arguments.

const radians = Math.PI / 180;
const metresOfDegree = 111195;
/** Farther from any town, in metres, a place has none. */
const farthest = 30000;
/** How much a larger town counts as nearer: one of 16 000 people like a village of 500 at six tenths of its distance. */
const weight = 0.15;

/** Degrees of latitude within which the towns of a place are. */
export const reach = farthest / metresOfDegree;

/** @typedef {import('../map/outlines.js').Place} Place */

/**
 * @param {Place[][]} lists
 * @param {{latitude: number, longitude: number}} place
 * @returns {?{name: string, distance_m: number, bearing_deg: number}}  The bearing is that from the town to the place.
 */
export function nearest(lists, { latitude, longitude }) {
  const narrow = Math.cos(latitude * radians);
  let best = null;
  let least = Infinity;
  for (const town of lists.flat()) {
    const north = (latitude - town.latitude) * metresOfDegree;
    if (Math.abs(north) > farthest) continue;
    const turns = Math.round((longitude - town.longitude) / 360) * 360;
    const east = (longitude - town.longitude - turns) * metresOfDegree * narrow;
    const metres = Math.hypot(north, east);
    const rank = metres / Math.max(1, town.people) ** weight;
    if (metres > farthest || rank >= least) continue;
    least = rank;
    const bearing = (Math.atan2(east, north) / radians + 360) % 360;
    best = { name: town.name, distance_m: metres, bearing_deg: bearing };
  }
  return best;
}
