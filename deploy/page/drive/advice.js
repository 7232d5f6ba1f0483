// What Drive advises, and how much of a direction its dial may show. Pure: it reads nothing but its arguments.
import { isRecent } from '../hunt/signal.js';
import { isGuess, landingRadius, number } from './situation.js';

/** Milliseconds for which a more certain advice must hold before the driver reads it. */
const holdFor = 60000;
/** By so much the uncertainty must pass a limit before the advice gets more certain. */
const margin = 1.3;
/** Seconds before the landing from which a driver in the area is there in time, and has nothing to wait for. */
const lastMinutes = 600;

/**
 * `nothing` no sonde is known; `signal` it is heard, and only bearings tell where it is; `noCar`; `landed` seen on the
 * ground; `guess` it should be down; `silent` nobody hears it; `look` it comes down near the car; `noPoint` no landing point is known; `wait` the landing point may be
 * anywhere around; `area` the same in the last minutes; `towards` a direction, but no place; `go` to the place.
 * @typedef {'nothing'|'signal'|'noCar'|'landed'|'guess'|'silent'|'look'|'noPoint'|'wait'|'area'|'towards'|'go'} Word
 *
 * @typedef {object} Held  The advice that is shown, and the one that may follow it.
 * @property {Word} word
 * @property {?Word} next
 * @property {number} since  Milliseconds of a monotonic clock: since when `next` is right.
 *
 * @typedef {'none'|'area'|'sector'|'needle'} Form  What the dial shows: nothing, a circle to scale, a sector as
 *   wide as the circle is seen from the car, or a needle.
 */

/**
 * The advices that depend on the uncertainty, from the least to the most certain, with the limit to the next. With 1 in
 * place of 1/2 a direction more than 60° wrong is advised in every third flight (Tests/measure-advice.sh).
 */
const grades = /** @type {Word[]} */ (['wait', 'towards', 'go']);
const limits = [1 / 2, 1 / 3];

/**
 * The radius within which half of all landings are, as a share of the distance; 0 for a place that somebody saw.
 * @param {?number} radius
 * @param {?number} [distance]
 */
export function doubt(radius, distance) {
  if (!radius) return 0;
  return distance ? radius / distance : Number.POSITIVE_INFINITY;
}

/**
 * The grade of a doubt. To a more certain grade than the one that is shown, a limit must be passed clearly.
 * @param {number} share
 * @param {?Word} [shown]
 */
function grade(share, shown = null) {
  const at = grades.indexOf(/** @type {Word} */ (shown));
  /** @param {number} i */
  const limit = i => limits[i] * (at >= 0 && i >= at ? 1 / margin : 1);
  if (share >= limit(0)) return grades[0];
  return share > limit(1) ? grades[1] : grades[2];
}

/** @param {import('./situation.js').Facts} facts  @returns {?number} */
const radiusOf = facts =>
  ['observed', 'manual'].includes(facts.landing?.source ?? '') ? null : landingRadius(facts);

/**
 * The advice at this instant; `shown` is the one that the driver reads.
 * @param {import('./situation.js').Facts} facts
 * @param {import('./situation.js').Situation} situation
 * @param {?Word} [shown]
 * @returns {Word}
 */
export function wordFor(facts, situation, shown) {
  const isKnown = facts.position || facts.flight?.last || facts.landing;
  if (!isKnown) return isRecent(facts.signal) ? 'signal' : 'nothing';
  if (facts.phase === 'landed' && !isGuess(facts)) return 'landed';
  if (!facts.chase) return 'noCar';
  if (isGuess(facts)) return 'guess';
  if (facts.isSilent) return 'silent';
  if (situation.target === 'sonde') return facts.landing && facts.chase.landing ? 'look' : 'noPoint';
  const word = grade(doubt(radiusOf(facts), number(situation.sight?.distance_m)), shown);
  // More bearings make it certain, not waiting.
  return word === 'wait' && facts.landing?.source === 'bearings' ? 'signal' : word;
}

/**
 * The advice to show: it gets more certain only after a minute in which it held, and less certain at once.
 * @param {Held} held
 * @param {import('./situation.js').Facts} facts
 * @param {import('./situation.js').Situation} situation
 * @param {number} now  Milliseconds of a monotonic clock.
 * @returns {Held}
 */
export function advise(held, facts, situation, now) {
  const shown = held.word === 'area' ? 'wait' : held.word;
  const found = wordFor(facts, situation, shown);
  /** @type {(word: Word) => Word} */
  const late = word =>
    word === 'wait' && facts.landingIn != null && facts.landingIn < lastMinutes ? 'area' : word;
  if (found === shown) return { word: late(found), next: null, since: now };
  // From one grade to the next it may come and go; over two of them it is no noise.
  const isGraded = grades.includes(shown) && grades.indexOf(found) - grades.indexOf(shown) === 1;
  const since = held.next === found ? held.since : now;
  if (!isGraded || now - since >= holdFor) return { word: late(found), next: null, since: now };
  return { word: shown, next: found, since };
}

/**
 * What the dial shows. It shows no more direction than is known now, and no more than the advice says.
 * @param {Word} word
 * @param {import('./situation.js').Facts} facts
 * @param {import('./situation.js').Situation} situation
 * @returns {{form: Form, half: number, share: number}}  `half` is half the sector's angle in degrees, `share` the
 *   radius as a share of the distance.
 */
export function dial(word, facts, situation) {
  const nothing = { form: /** @type {Form} */ ('none'), half: 0, share: 0 };
  if (!situation.sight) return nothing;
  const share = situation.target === 'landing' ? doubt(radiusOf(facts), situation.sight.distance_m) : 0;
  // In the middle of a landing area there is no direction, but the area is around.
  if (situation.turn == null && share < 1) return nothing;
  const isWide = share >= 1 || ((word === 'wait' || word === 'area') && share > 0);
  const half = share >= 1 ? 180 : (Math.asin(share) * 180) / Math.PI;
  if (isWide) return { form: 'area', half, share };
  const isSector = share > limits[1] || (['towards', 'guess', 'silent'].includes(word) && share > 0);
  return { form: isSector ? 'sector' : 'needle', half, share };
}
