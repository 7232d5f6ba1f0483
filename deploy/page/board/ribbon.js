// The ribbon on a sonde's card: altitude against time, with the first car's arrival.
import { picture, signs } from '../drive/plot.js';
import { timeline } from '../drive/timeline.js';
import { el } from '../shared/dom.js';
import { arrivalOf, timeOff } from './arrival.js';
import { boardTime, cars, lines } from './stream.js';

/** @param {?string | undefined} iso */
const parse = iso => (iso ? Date.parse(iso) : null);

/**
 * Time and altitude.
 * @param {number[][]} points
 * @returns {Array<[number, number]>}
 */
const heights = points =>
  points.filter(point => Number.isFinite(point[0]) && Number.isFinite(point[3])).map(([t, , , a]) => [t, a]);

/**
 * When a path is at its highest, if it climbs before; null for a fall.
 * @param {Array<[number, number]>} path
 */
function topOf(path) {
  const top = path.reduce((best, point) => (point[1] > best[1] ? point : best), path[0]);
  return path.length && top !== path[0] ? top[0] : null;
}

/**
 * @param {Board.Sonde} sonde
 * @returns {?HTMLElement} Null while there is nothing to draw.
 */
export function cardRibbon(sonde) {
  const known = lines[sonde.serial];
  const [flown, next] = [heights(known?.track ?? []), heights(known?.path ?? [])];
  const isDown = sonde.phase === 'landed';
  const hasBurst = isDown || /^descending/.test(sonde.phase ?? '');
  /**
   * Where a car is that can't be reached, nobody knows.
   * @param {Board.Arrival} one
   */
  const stateOf = one => arrivalOf(one, sonde.phase, cars[one.car]?.reach);
  const arrival = sonde.arrivals.find(one => one.arrival_at && !stateOf(one).isOld);
  const drawn = timeline({
    now: boardTime(),
    flown,
    path: next,
    burstAt: hasBurst ? topOf(flown) : topOf(next),
    hasBurst,
    landingAt: parse(sonde.landing?.landing_at),
    landingOff: isDown ? 0 : timeOff(sonde.landing) * 1000,
    isDown,
    arrivalAt: parse(arrival?.arrival_at),
  });
  if (!drawn) return null;
  const level = (arrival && stateOf(arrival).level) ?? '';
  const kind = `ribbon${hasBurst ? ' burst-seen' : ''}`;
  return el(
    'div',
    { class: kind, 'aria-hidden': 'true' },
    picture(drawn, isDown ? null : level),
    ...signs(drawn),
  );
}
