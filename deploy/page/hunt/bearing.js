// Takes bearings of the signal, and forgets them.
import { send } from '../shared/command.js';
import { ask, toast } from '../shared/dom.js';
import { chase, data } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { signal } from './heard.js';

/**
 * "123° south-east".
 * @param {number} degrees
 */
export const directionText = degrees => `${Math.round(degrees)}° ${T.winds[u.octant(degrees)]}`;

/** Why no bearing can be taken from the car now; null if one can. */
export function refusal() {
  const heard = signal();
  // The gateway would take it for the followed sonde's.
  if (heard?.isOther && heard.age < 60000) {
    return T.signals.otherSonde({ heard: heard.serial, followed: data.state?.serial });
  }
  return chase() ? null : T.signals.noCar;
}

/** "Strongest ahead now": a bearing along the car's course. */
export function takeAhead() {
  const course = chase()?.car.course_deg;
  const why = refusal();
  if (why || !u.known(course)) return toast(why ?? T.signals.noCourse);
  send({ bearing: 'ahead' }, T.signals.bearing, directionText(course));
}

/**
 * Takes a bearing.
 * @param {number} degrees  From true north.
 * @param {?{latitude: number, longitude: number}} [from]  The car's place if missing.
 */
export const take = (degrees, from) =>
  send(
    { bearing: { bearing_deg: degrees, ...(from ? { from } : {}) } },
    T.signals.bearing,
    directionText(degrees),
  );

/**
 * Forgets a bearing.
 * @param {string} id
 */
export const forget = id => send({ bearing: { forget: id } }, T.signals.forget);

/** Forgets all bearings, if the crew means it. */
export async function forgetAll() {
  if (await ask(T.signals.forgetAsk)) forget('all');
}

/**
 * The degrees that somebody typed: "123", "123,5°". NaN if they are none.
 * @param {string} text
 */
export function typedDegrees(text) {
  const digits = text.trim().replace(/\s*°$/, '').replace(',', '.');
  const degrees = /^\d{1,3}(\.\d+)?$/.test(digits) ? +digits : Number.NaN;
  return degrees <= 360 ? degrees : Number.NaN;
}
