// The shapes of the polar plot of what was heard: a sector for each direction, a ring for each band of distances. It
// reads nothing but its arguments.

/**
 * What was heard in one direction and band.
 * @typedef {{samples: number, mean_rssi_dbm: number}} Cell
 */

/**
 * @typedef {object} Direction
 * @property {string} name           As "NNE".
 * @property {number} bearing_deg    The middle of its sector.
 * @property {number} heard          How many measurements it has.
 * @property {?number} farthest_m    Null if nothing was heard there.
 * @property {?number} [horizon_deg]  How high the ground stands there; null or missing if nobody knows.
 * @property {Array<?Cell>} cells    One for each band, and one beyond the last.
 */

/** The radius of the whole plot, in its own units. */
export const radius = 100;

/** Where the ring of the horizon begins, and how broad it is at most. */
const [ringFrom, ringWidth] = [102, 12];
/** Degrees of a horizon that fills the ring, if none is higher. */
const usualHorizon = 5;

/** The levels begin at these dBm, the weakest first. Level 0 is below all of them. */
export const limits = [-110, -100, -90, -80];

/**
 * The level of a signal: 0 is the weakest.
 * @param {number} dBm
 */
export const levelOf = dBm => limits.filter(limit => dBm >= limit).length;

/**
 * @param {number} bearing  Degrees.
 * @param {number} r
 * @returns {string} As "12.5 -80".
 */
function point(bearing, r) {
  const angle = (bearing * Math.PI) / 180;
  return [r * Math.sin(angle), -r * Math.cos(angle)].map(v => +v.toFixed(2) + 0).join(' ');
}

/**
 * The outline of a part of a ring, as the path of an SVG.
 * @param {number} bearing  Its middle, degrees.
 * @param {number} width    Degrees.
 * @param {number} inner    The radius where it begins.
 * @param {number} outer    The radius where it ends.
 */
export function sector(bearing, width, inner, outer) {
  const [left, right] = [bearing - width / 2, bearing + width / 2];
  return (
    `M${point(left, inner)}L${point(left, outer)}A${outer} ${outer} 0 0 1 ${point(right, outer)}` +
    `L${point(right, inner)}A${inner} ${inner} 0 0 0 ${point(left, inner)}Z`
  );
}

/**
 * The radius at which a band ends, of so many.
 * @param {number} band  From 0.
 * @param {number} count
 */
export const ringOf = (band, count) => +((radius * (band + 1)) / count).toFixed(2);

/**
 * What was heard, as shapes.
 * @param {Direction[]} directions
 * @returns {Array<{direction: number, band: number, level: number, path: string}>}
 */
export function cellShapes(directions) {
  const width = 360 / directions.length;
  return directions.flatMap(({ bearing_deg, cells }, direction) =>
    cells.flatMap((cell, band) => {
      if (!cell) return [];
      const inner = band ? ringOf(band - 1, cells.length) : 0;
      const path = sector(bearing_deg, width, inner, ringOf(band, cells.length));
      return [{ direction, band, level: levelOf(cell.mean_rssi_dbm), path }];
    }),
  );
}

/** @param {Direction} direction */
const horizonOf = ({ horizon_deg }) => horizon_deg ?? 0;

/**
 * The ground around, as shapes outside the plot: the higher it stands, the broader they are. Level ground has none.
 * @param {Direction[]} directions
 */
export function horizonShapes(directions) {
  const highest = Math.max(usualHorizon, ...directions.map(horizonOf));
  const width = 360 / directions.length;
  return directions
    .filter(one => horizonOf(one) > 0)
    .map(one =>
      sector(
        one.bearing_deg,
        width,
        ringFrom,
        +(ringFrom + (ringWidth * horizonOf(one)) / highest).toFixed(2),
      ),
    );
}

/**
 * The direction with the greatest value; undefined if none has one.
 * @param {Direction[]} directions
 * @param {'farthest_m' | 'horizon_deg'} key
 */
export function greatest(directions, key) {
  const known = directions.filter(one => typeof one[key] === 'number');
  return known.sort((a, b) => (b[key] ?? 0) - (a[key] ?? 0)).at(0);
}

/**
 * A direction by a language's own letters: "ONO" is German for "ENE".
 * @param {string} name
 * @param {string[]} letters  For north, east, south and west.
 */
export const compassName = (name, letters) => name.replace(/[NESW]/g, one => letters['NESW'.indexOf(one)]);
