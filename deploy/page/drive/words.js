// The words and figures of Drive.
import { border, facts, phaseWord } from '../shared/model.js';
import { age, chase, data, flight, heard, isSynced, landing, position, radio } from '../shared/stream.js';
import { locale, T } from '../shared/texts.js';
import * as u from '../shared/units.js';

/**
 * The direction by the car's nose, or by the compass if its course is unknown; null if it is unknown.
 * @param {?import('./situation.js').Sight} [sight]
 */
export function direction(sight) {
  if (u.known(sight?.relative_bearing_deg)) return T.turns[u.octant(sight.relative_bearing_deg)];
  return u.known(sight?.bearing_deg) ? T.winds[u.octant(sight.bearing_deg)] : null;
}

/** @param {?number} [seconds]  "12", "min early"; from two hours on "2:05", "h early" */
export function marginText(seconds) {
  if (!u.known(seconds)) return u.none;
  const minutes = Math.floor(Math.abs(seconds) / 60);
  const sign = seconds < 0 ? '−' : '+';
  if (minutes >= 120) {
    const hours = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
    return [sign + hours, seconds < 0 ? T.lateHours : T.earlyHours];
  }
  return [minutes ? sign + minutes : '<1', seconds < 0 ? T.late : T.early];
}

/**
 * Rounds to 1, 2 or 5 of a power of ten that is at least the step.
 * @param {?number} value
 * @param {?number} [step]
 */
function stepped(value, step) {
  if (value == null || !step || step <= 1) return value;
  const power = 10 ** Math.floor(Math.log10(step));
  const nice = [1, 2, 5, 10].find(k => k * power >= step) * power;
  return Math.round(value / nice) * nice;
}

/**
 * @typedef {import('./situation.js').Situation} Situation
 * @typedef {import('./situation.js').Line} Line
 */

/** @type {Record<string, (value: any, situation: Situation, line: Line) => string[]>} */
const figures = {
  altitude: u.height,
  landing_in: u.countdown,
  vertical: u.climb,
  distance: (value, _, line) => u.distance(stepped(value, line.step)),
  bearing: (_, s) => [s.isThere ? T.there : (direction(s.sight) ?? '–'), ''],
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
  const where = line.sight && (situation.isThere ? T.there : direction(line.sight));
  const label = u.joined(T[line.label], where, line.isStraight && T.methods.straight_line);
  return { label, value, unit };
}

/** A time of day, or null while the gateway's clock is not set.  @param {?string} [iso] */
export const whenText = iso =>
  iso && isSynced() ? new Date(iso).toLocaleTimeString(locale, { timeStyle: 'short' }) : null;

/** "heard 3 s ago", or null. */
export const heardText = () => (Number.isFinite(heard()) ? T.heard(u.span(heard())) : null);

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
    target && p && u.text(u.height(p.altitude_m)),
    target && p && known(flight()?.vertical_speed_mps, u.climb),
    rssi != null && u.text([u.plain(Math.round(rssi)), 'dBm']),
    l?.source === 'last_prediction' && T.guess,
    isStale && T.predicted(u.span(predictedAge)),
    situation.northUp && T.northUp,
    chase()?.route?.no_road_near && T.noRoad,
  );
}
