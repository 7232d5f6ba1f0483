// The words and figures of Drive.
import { border, facts, phaseWord } from '../shared/model.js';
import { age, chase, data, flight, heard, isSynced, landing, position, radio } from '../shared/stream.js';
import { locale, T } from '../shared/texts.js';
import * as u from '../shared/units.js';

/**
 * @typedef {import('./situation.js').Situation} Situation
 * @typedef {import('./situation.js').Line} Line
 */

/**
 * The direction by the car's nose, or by the compass if its course is unknown; null if it is unknown.
 * @param {?import('./situation.js').Sight} [sight]
 */
export function direction(sight) {
  if (u.known(sight?.relative_bearing_deg)) return T.turns[u.octant(sight.relative_bearing_deg)];
  return u.known(sight?.bearing_deg) ? T.winds[u.octant(sight.bearing_deg)] : null;
}

/**
 * The direction to the target, or that the car is there or near; null if it is unknown.
 * @param {Situation} situation
 */
export function where(situation) {
  if (situation.isThere) return T.there;
  if (situation.isAround) return T.around;
  return situation.isSearch ? T.searchHere : direction(situation.sight);
}

/** @param {?number} [seconds]  "12", "min early"; from an hour on "1:05", "h early" */
export function marginText(seconds) {
  if (!u.known(seconds)) return u.none;
  const minutes = Math.floor(Math.abs(seconds) / 60);
  const sign = seconds < 0 ? '−' : '+';
  if (minutes >= 60) {
    const hours = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
    return [sign + hours, seconds < 0 ? T.lateHours : T.earlyHours];
  }
  return [minutes ? sign + minutes : '<1', seconds < 0 ? T.late : T.early];
}

/**
 * The least of 1, 2 or 5 times a power of ten that is at least the step, from 1 on.
 * @param {?number} [step]
 */
function roundStep(step) {
  if (!step || step <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 5, 10].find(k => k * power >= step) * power;
}

/**
 * The distance; at a landing point that nobody has seen, the radius within which half of all sondes land.
 * @param {?number} value
 * @param {Situation} situation
 * @param {Line} line
 */
function distanceFigure(value, situation, line) {
  const isReached = situation.isSearch || situation.isAround;
  const step = roundStep(line.step);
  const rounded = value == null ? null : Math.round(value / step) * step;
  if (!isReached || !line.least) return u.distance(rounded, step);
  const [radius, unit] = u.radius(line.least);
  return [`±${radius}`, unit];
}

/** @type {Record<string, (value: any, situation: Situation, line: Line) => string[]>} */
const figures = {
  altitude: u.height,
  landing_in: u.countdown,
  vertical: u.climb,
  distance: distanceFigure,
  bearing: (_, s) => [where(s) ?? '–', ''],
  height: u.signed,
  closing: u.speed,
  margin: marginText,
};

/**
 * The label, figure and unit of a line.
 * @param {import('./situation.js').Line} line
 * @param {import('./situation.js').Situation} situation
 */
export function lineText(line, situation) {
  const [value, unit] = figures[line.id](line.value, situation, line);
  const label = u.joined(
    T[line.label],
    line.sight && where(situation),
    line.radius && !situation.isSearch && `± ${u.text(u.radius(line.radius))}`,
    line.isStraight && T.methods.straight_line,
  );
  return { label, value, unit };
}

/** A time of day, or null while the gateway's clock is not set.  @param {?string} [iso] */
export const whenText = iso =>
  iso && isSynced()
    ? new Date(iso).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    : null;

/** "heard 3 s ago", "last heard 2 min ago" once nobody hears it, or null. */
export function heardText() {
  if (!Number.isFinite(heard())) return null;
  return (data.state?.source ? T.heard : T.lastHeard)(u.span(heard()));
}

/**
 * One sentence that says what Drive shows.
 * @param {import('./situation.js').Situation} situation
 */
export function statusSentence(situation) {
  const parts = situation.lines.map(line => {
    const { label, value, unit } = lineText(line, situation);
    return value === '–' ? '' : `${label.replaceAll(' · ', ', ')} ${value} ${unit}`.trim();
  });
  const sentences = [border()[1], phaseWord(facts()), ...parts].filter(Boolean);
  return `${sentences.map(one => one[0].toUpperCase() + one.slice(1)).join('. ')}.`;
}

/** A figure as text; nothing if the value is unknown. */
const known = (value, figure) => u.known(value) && u.text(figure(value));

/**
 * The line of small print.
 * @param {import('./situation.js').Situation} situation
 */
export function smallPrint(situation) {
  const p = position();
  const l = landing();
  const { target } = situation;
  // The last place in the air is not where a guessed landing is.
  const isAir = target && p && !situation.isGuess;
  const predictedAge = age('landing');
  const isStale = target === 'landing' && predictedAge > 60000 && Number.isFinite(predictedAge);
  const rssi = data.state?.source === 'ble' ? radio()?.rssi_dbm : null;
  return u.joined(
    !target && T.noCar,
    !target && l && `${T.landingAt} ${u.place(l)}`,
    border()[1],
    heardText(),
    data.state?.serial && phaseWord(facts()),
    data.state?.serial,
    p?.sonde_type,
    isAir && u.text(u.height(p.altitude_m)),
    isAir && data.state?.phase !== 'landed' && known(flight()?.vertical_speed_mps, u.climb),
    rssi != null && u.text([u.plain(Math.round(rssi)), 'dBm']),
    l?.source === 'last_prediction' && !situation.isGuess && T.guess,
    isStale && T.predicted(u.span(predictedAge)),
    situation.northUp && T.northUp,
    chase()?.route?.no_road_near && T.noRoad,
  );
}
