// Which signal the page shows, when, and how strong it is. It reads nothing but its arguments.
import { nearSonde, sondeLimit } from '../drive/situation.js';

/** Milliseconds for which a frame tells how strong the signal is now. The receiver sends one a second. */
export const freshFor = 3000;
/** Milliseconds for which a sonde that is not heard keeps its place before another one on its frequency. */
const steadyFor = 10000;
/** Milliseconds for which a signal that fades is waited for. */
const shownFor = 60000;
/** The ends of the bar, dBm. */
const [lowest, highest] = [-130, -40];
/** The weakest and the strongest signal of the tone, dBm; its lowest pitch in hertz, and its octaves. */
const [weak, strong] = [-120, -40];
const pitchOfWeak = 440;
const octaves = 2;
/** Milliseconds from one tone to the next. The frames of a weak signal come faster than its tones. */
const [slow, fast] = [1100, 150];
/** From these levels on a dot on the map has the next size and colour, dBm. */
export const levels = [-115, -100, -85, -70];

/**
 * @typedef {{report: Report.Signal, at: number}} Heard  The newest report of a sonde, and when its frame came, milliseconds.
 *
 * @typedef {object} Signal  What the page shows.
 * @property {?string} serial
 * @property {number} rssi  dBm, as all levels.
 * @property {number} mean
 * @property {number} peak
 * @property {?('rising'|'falling'|'steady')} trend
 * @property {number} age       Milliseconds.
 * @property {boolean} isOther  It names another sonde than the one that is followed.
 * @property {Array<?string>} others  The serials of those that are heard beside it.
 */

/**
 * The signal to show of those on the frequency: the followed sonde's; else the one that is shown; else the strongest.
 * @param {Heard[]} heard
 * @param {?string} [followed]  A serial.
 * @param {?string} [shown]  The serial that is shown, null for a signal without a name.
 * @param {number} [now]
 * @returns {?Signal}
 */
export function choose(heard, followed, shown, now = 0) {
  const lately = heard.filter(one => now - one.at <= steadyFor);
  /** @param {?string | undefined} serial */
  const of = serial => lately.find(one => one.report.serial === serial);
  const strongest = lately.slice().sort((a, b) => b.report.mean_dbm - a.report.mean_dbm)[0];
  const newest = heard.slice().sort((a, b) => b.at - a.at)[0];
  const chosen = of(followed || undefined) ?? of(shown) ?? strongest ?? newest;
  if (!chosen) return null;
  const { serial, rssi_dbm: rssi, mean_dbm: mean, peak_dbm: peak, trend } = chosen.report;
  return {
    serial,
    rssi,
    mean,
    peak,
    trend,
    age: now - chosen.at,
    isOther: !!serial && !!followed && serial !== followed,
    others: lately.filter(one => one !== chosen).map(one => one.report.serial),
  };
}

/**
 * Whether the followed sonde's signal was heard in the last minute.
 * @param {?Signal} [signal]
 */
export const isRecent = signal => !!signal && !signal.isOther && signal.age <= shownFor;

/**
 * Whether it tells how strong the signal of the followed sonde is now.
 * @param {?Signal} [signal]
 */
export const isFresh = signal => !!signal && !signal.isOther && signal.age <= freshFor;

/**
 * Why Drive shows the bar: `hunt` the sonde is heard and says no place, `near` the crew is near it; null without a bar.
 * @param {import('../drive/situation.js').Facts} facts
 * @param {import('../drive/situation.js').Situation} s
 * @returns {?('hunt'|'near')}
 */
export function huntFor(facts, s) {
  const { signal } = facts;
  if (!signal) return null;
  // A place that the sonde says, or SondeHub, is better than its strength.
  if (isRecent(signal) && !(facts.heardAge <= sondeLimit(facts))) return 'hunt';
  const isNear = (s.sight?.distance_m ?? Number.POSITIVE_INFINITY) <= nearSonde;
  return isNear && (facts.phase === 'landed' || s.target === 'sonde') ? 'near' : null;
}

/** @param {number} v  @param {number} low  @param {number} high */
const between = (v, low, high) => Math.min(1, Math.max(0, (v - low) / (high - low)));

/**
 * How much of the bar a level fills, percent.
 * @param {number} dBm
 */
export const percent = dBm => 100 * between(dBm, lowest, highest);

/**
 * The tone's pitch, hertz.
 * @param {number} dBm
 */
export const pitch = dBm => pitchOfWeak * 2 ** (octaves * between(dBm, weak, strong));

/**
 * Milliseconds from one tone to the next.
 * @param {number} dBm
 */
export const interval = dBm => slow + (fast - slow) * between(dBm, weak, strong);

/**
 * The grade of a dot on the map, from 0.
 * @param {number} dBm
 */
export const grade = dBm => levels.filter(level => dBm >= level).length;
