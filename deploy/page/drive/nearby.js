// The last 200 m as a plan: the sonde in its middle, north up. It reads nothing but its arguments.

const metresOfDegree = 111195;
/** Metres from the middle to the edge: the least that shows the car. */
const spans = [25, 60, 125, 250];
/** How far from the middle the car may be, as a share of the span. */
const share = 0.9;
/** The rings' radii, metres. */
const radii = [5, 10, 20, 50, 100, 200];
/** The most rings, and the share of the span from which one is too small to be labelled. */
const most = 2;
const least = 0.25;
/** The longest bar of the scale, as a share of the span. */
const bar = 0.6;

/**
 * @typedef {{latitude: number, longitude: number}} Place
 * @typedef {[number, number]} Point  Pixels to the right of the middle and below it.
 *
 * @typedef {object} Plan
 * @property {number} span   Metres from the middle to the nearest edge.
 * @property {number} pixel  Pixels of a metre.
 * @property {number} bar    Metres of the scale's bar.
 * @property {number[]} rings  Metres.
 * @property {Point} car
 * @property {Point[]} trail
 * @property {Point[]} track
 */

/**
 * @param {object} known
 * @param {Place} known.sonde
 * @param {Place} known.car
 * @param {Place[]} known.trail  The car's own way.
 * @param {Place[]} known.track  The sonde's.
 * @param {number} side  Pixels of the picture's shorter side.
 * @returns {Plan}
 */
export function plan({ sonde, car, trail, track }, side) {
  const narrow = Math.cos((sonde.latitude * Math.PI) / 180);
  /** @param {Place} place  @returns {Point} */
  const metres = place => [
    (((place.longitude - sonde.longitude + 540) % 360) - 180) * metresOfDegree * narrow,
    (sonde.latitude - place.latitude) * metresOfDegree,
  ];
  const away = Math.max(...metres(car).map(Math.abs));
  const span = spans.find(one => away <= one * share) ?? spans[spans.length - 1];
  const pixel = side / 2 / span;
  /** @type {(place: Place) => Point} */
  const at = place => {
    const [x, y] = metres(place);
    return [x * pixel, y * pixel];
  };
  return {
    span,
    pixel,
    bar: radii.filter(one => one <= span * bar).at(-1) ?? radii[0],
    rings: radii.filter(one => one >= span * least && one < span).slice(-most),
    car: at(car),
    trail: trail.map(at),
    track: track.map(at),
  };
}
