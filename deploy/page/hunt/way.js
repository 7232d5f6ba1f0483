// The signal along a way, and the shapes of bearings. It reads nothing but its arguments.

const metresOfDegree = 111195;
/** The most places; beyond, every second one is forgotten. */
const most = 1500;
/** Metres between two places of one sonde. */
const step = 10;
/** Corners of an ellipse. */
const corners = 72;

/**
 * @typedef {{latitude: number, longitude: number}} Place
 * @typedef {Place & {dBm: number, serial: ?string, mhz?: ?number}} Spot
 */

/** @param {number} latitude */
const narrow = latitude => Math.cos((latitude * Math.PI) / 180);

/**
 * Metres between two places that are near one another.
 * @param {Place} a
 * @param {Place} b
 */
export function metres(a, b) {
  const east = ((b.longitude - a.longitude + 540) % 360) - 180;
  return Math.hypot(b.latitude - a.latitude, east * narrow(a.latitude)) * metresOfDegree;
}

/**
 * Adds a frame. At one place the strongest counts.
 * @param {Spot[]} spots  The oldest first.
 * @param {Spot} next
 */
export function spot(spots, next) {
  /** @param {Spot} one */
  const isSame = one => one.serial === next.serial && one.mhz === next.mhz;
  const last = spots.filter(isSame).at(-1);
  if (last && metres(last, next) < step) {
    last.dBm = Math.max(last.dBm, next.dBm);
    return;
  }
  spots.push(next);
  if (spots.length > most) spots.splice(0, spots.length, ...spots.filter((_, i) => i % 2 === 0));
}

/**
 * The places of one sonde's signal: with its name, or without one on its frequency.
 * @param {Spot[]} spots
 * @param {?string} [serial]
 * @param {?number} [mhz]
 */
export const spotsOf = (spots, serial, mhz) =>
  spots.filter(one => (one.serial ? one.serial === serial : one.mhz === mhz));

/**
 * The place so many metres from another.
 * @param {Place} from
 * @param {number} degrees
 * @param {number} distance
 */
export function ahead(from, degrees, distance) {
  const angle = (degrees * Math.PI) / 180;
  const latitude = from.latitude + (distance * Math.cos(angle)) / metresOfDegree;
  const width = metresOfDegree * narrow((from.latitude + latitude) / 2);
  return { latitude, longitude: from.longitude + (distance * Math.sin(angle)) / width };
}

/**
 * The outline of an ellipse.
 * @param {Place} middle
 * @param {{semi_major_m: number, semi_minor_m: number, bearing_deg: number}} axes
 * @returns {Place[]}
 */
export function ellipse(middle, { semi_major_m: major, semi_minor_m: minor, bearing_deg: degrees }) {
  return Array.from({ length: corners + 1 }, (_, i) => {
    const angle = (i * 2 * Math.PI) / corners;
    const [along, across] = [major * Math.cos(angle), minor * Math.sin(angle)];
    const turn = (Math.atan2(across, along) * 180) / Math.PI;
    return ahead(middle, degrees + turn, Math.hypot(along, across));
  });
}
