// What the board may say of a car's arrival. It reads nothing but its arguments.
import { marginLevel } from '../drive/situation.js';

/** Metres within which a car has arrived where the sonde lies; the gateway tells no margin there. */
const thereWithin = 200;

/** @param {unknown} value  @returns {value is number} */
const isNumber = value => typeof value === 'number' && Number.isFinite(value);

/**
 * @typedef {object} Known  What is known of an arrival.
 * @property {boolean} isThere     The car has arrived: neither a time nor a margin is left.
 * @property {boolean} isOld       The car can't be reached: what it told was true when it was last heard.
 * @property {boolean} isStraight  No road is known, so the car arrives later than it says.
 * @property {?('good'|'care'|'bad')} level  How good its margin is. A car that stands still in silence has none.
 */

/**
 * @param {Pick<Board.Arrival, 'distance_m' | 'method' | 'margin_s'>} arrival
 * @param {?string} [phase]  The sonde's.
 * @param {?string} [reach]  The car's: `ok`, or why it can't be reached.
 * @returns {Known}
 */
export function arrivalOf(arrival, phase, reach) {
  const isThere = phase === 'landed' && isNumber(arrival.distance_m) && arrival.distance_m <= thereWithin;
  const isOld = (reach ?? 'ok') !== 'ok';
  const isStraight = !arrival.method || arrival.method === 'straight_line';
  const margin = !isThere && !isOld && isNumber(arrival.margin_s) ? arrival.margin_s : null;
  return { isThere, isOld, isStraight, level: marginLevel(margin, isStraight) };
}

/**
 * Whether nobody has seen or set the landing point: its place and its time may be off.
 * @param {?Board.Landing} [landing]
 */
export const isExpected = landing => !['observed', 'manual'].includes(landing?.source ?? '');

/**
 * Metres within which half of all sondes land; null at a place that is known, or of which nothing is known.
 * @param {?Board.Landing} [landing]
 * @returns {?number}
 */
export function radiusOf(landing) {
  const radius = landing?.error_radius_50_m;
  return isExpected(landing) && isNumber(radius) && radius > 0 ? radius : null;
}

/**
 * Seconds by which half of all landings miss the time; 0 where it is known.
 * @param {?Board.Landing} [landing]
 */
export const timeOff = landing => (isExpected(landing) ? (landing?.landing_error_50_s ?? 0) : 0);

/**
 * Whether the time of the landing is old: nobody has heard the sonde for long, or the car that told it is away.
 * @param {boolean} isAged  Its position is old.
 * @param {?string} [reach]  The car's that told it.
 */
export const isTimeOld = (isAged, reach) => isAged || (reach ?? 'ok') !== 'ok';
