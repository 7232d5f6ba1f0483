// Altitude against time: what was flown, what is to come, and when the car arrives. It reads nothing but its arguments.

/** Milliseconds before the landing from which only the last minutes are drawn, and as much of the past. */
const lastMinutes = 600000;
/** The most points of a line: more are finer than a screen. */
const mostPoints = 150;
/** The share of the width that stays free to the right, for a label. */
const room = 0.08;
/** The share of the height that stays free above. */
const headroom = 1.06;

/**
 * @typedef {object} Times  Milliseconds since 1970 by the gateway's clock; null if unknown.
 * @property {number} now
 * @property {Array<[number, number]>} flown  Time and altitude in metres, in the order of time.
 * @property {Array<[number, number]>} path   The same for the prediction.
 * @property {?number} burstAt
 * @property {boolean} hasBurst  The burst was seen.
 * @property {?number} landingAt
 * @property {number} landingOff  Milliseconds that half of all landings are off.
 * @property {boolean} isDown
 * @property {?number} arrivalAt
 *
 * @typedef {{at: number, x: number, y: number}} Mark  Percent from the left and from the bottom.
 * @typedef {[number, number]} Whisker  Percent from the left: the earliest and the latest usual landing.
 * @typedef {{past: number[][], next: number[][], now: Mark, burst: ?Mark, landing: ?Mark, arrival: ?Mark,
 *   whisker: ?Whisker}} Timeline
 */

/** @param {Array<[number, number]>} points */
function thinned(points) {
  const step = Math.ceil(points.length / mostPoints);
  return points.filter((_, i) => i % step === 0 || i === points.length - 1);
}

/**
 * The altitude at a time, between two points.
 * @param {Array<[number, number]>} points
 * @param {number} t
 */
function altitudeAt(points, t) {
  const after = points.findIndex(([when]) => when >= t);
  if (after < 0) return points.at(-1)?.[1] ?? 0;
  const [when, altitude] = points[after];
  const [before, lower] = points[Math.max(0, after - 1)];
  return when === before ? altitude : lower + ((altitude - lower) * (t - before)) / (when - before);
}

/**
 * From where it is drawn: the whole flight, then from the burst, in the end the last minutes.
 * @param {Times} times
 */
function begin({ now, flown, burstAt, hasBurst, landingAt, isDown }) {
  const end = landingAt ?? now;
  const isLast = isDown || (landingAt != null && landingAt - now < lastMinutes);
  if (isLast) return Math.min(now, end) - lastMinutes;
  return hasBurst && burstAt != null ? burstAt - lastMinutes / 5 : (flown[0]?.[0] ?? now);
}

/**
 * @param {Times} times
 * @returns {?Timeline} Null while there is nothing to draw.
 */
export function timeline(times) {
  const { now, landingAt, landingOff, arrivalAt, isDown, burstAt } = times;
  const from = begin(times);
  const latest = landingAt == null ? null : landingAt + landingOff;
  const ends = [now, latest ?? now, arrivalAt ?? now].filter(t => t > from);
  const end = Math.max(...ends);
  const to = end + (end - from) * room;
  const past = thinned(times.flown.filter(([t]) => t >= from && t <= now));
  const next = isDown ? [] : thinned(times.path.filter(([t]) => t >= now && t <= to));
  if (!(to > from) || past.length + next.length < 2) return null;
  const top = Math.max(1, ...past.map(([, a]) => a), ...next.map(([, a]) => a)) * headroom;
  /** @param {number} t */
  const x = t => ((t - from) / (to - from)) * 100;
  /** @param {number} altitude */
  const y = altitude => (altitude / top) * 100;
  const all = [...past, ...next];
  /** @type {(at: ?number, altitude?: number) => ?Mark} */
  const mark = (at, altitude) =>
    at == null || at < from || at > to ? null : { at, x: x(at), y: y(altitude ?? altitudeAt(all, at)) };
  const here = past.at(-1)?.[1] ?? next[0][1];
  const joined = next.length && past.length ? [past[past.length - 1], ...next] : next;
  return {
    past: past.map(([t, a]) => [x(t), y(a)]),
    next: joined.map(([t, a]) => [x(t), y(a)]),
    now: { at: now, x: x(now), y: y(here) },
    burst: mark(burstAt),
    landing: mark(landingAt, isDown ? here : (next.at(-1)?.[1] ?? 0)),
    // One that is over was told by a route that is old.
    arrival: mark(arrivalAt != null && arrivalAt > now ? arrivalAt : null, 0),
    whisker:
      landingAt != null && landingOff
        ? [x(Math.max(now, landingAt - landingOff)), x(landingAt + landingOff)]
        : null,
  };
}
