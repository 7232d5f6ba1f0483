// What the reports say now, and how much of it is old.
import { isGuess, sondeLimit as limitOf, oldAfter, situation } from '../drive/situation.js';
import { signal } from '../hunt/heard.js';
import { huntFor, isFresh } from '../hunt/signal.js';
import {
  age,
  chase,
  data,
  flight,
  heard,
  isLost,
  isReplaced,
  landing,
  position,
  receivedAge,
  since,
} from './stream.js';
import { T } from './texts.js';
import * as u from './units.js';

/** Milliseconds after which an old value is struck through. */
const goneAfter = 120000;

/** Milliseconds since the car's fix. */
export const carAge = () => age('chase', 'car');

/** Seconds until the landing; null if it is unknown. */
export const landingIn = () => {
  const seconds = landing()?.landing_in_s;
  return u.known(seconds) ? seconds - since('landing') / 1000 : null;
};

/** Whether the receiver hears the signal of the sonde now. */
const isHeard = () => !isLost() && isFresh(signal());

/** Whether nobody hears the sonde that was heard before. A receiver that lost it waits a moment for SondeHub. */
export const isSilent = () =>
  !!data.state &&
  !isHeard() &&
  !T.sources[data.state.source ?? ''] &&
  data.state.state !== 'waitingForAPRS' &&
  Number.isFinite(heard());

/** @returns {import('../drive/situation.js').Facts} */
export const facts = () => ({
  chase: chase(),
  position: position(),
  flight: flight(),
  landing: landing(),
  phase: data.state?.phase,
  source: data.state?.source,
  heardAge: heard(),
  carAge: carAge(),
  landingIn: landingIn(),
  isSilent: isSilent(),
  signal: signal(),
});

/** The situation at this moment. */
export const now = () => situation(facts());

/** Why the signal's bar is shown; null while it is not. */
export const hunt = () => huntFor(facts(), now());

/** The age after which the sonde's values are old, milliseconds. */
export const sondeLimit = () => limitOf(facts());

/**
 * Whether a shown value is old.
 * @param {string} value   A dash is never old.
 * @param {number} [age]   Milliseconds.
 * @param {number} [limit] Milliseconds.
 * @returns {{words: string, isOld: boolean, isGone: boolean}} `words` is the age if the value is old.
 */
export function aged(value, age = 0, limit = oldAfter) {
  const isOld = age > limit && Number.isFinite(age) && value !== '–';
  return { words: isOld ? T.old(u.span(age)) : '', isOld, isGone: isOld && age > goneAfter };
}

/**
 * No news of the sonde, or no answer from SondeHub.
 * @param {Report.State} state
 */
function silenceWord({ source, sondehub }) {
  const fault = source === 'sondehub' && sondehub?.error;
  return fault ? T.noAnswer(T.faults[fault] ?? fault) : T.noNews;
}

/** @returns {[string, string]} The border's colour, and the words that say the same. */
export function border() {
  const s = data.state;
  const name = T.sources[s?.source ?? ''];
  if (isLost() || isReplaced()) return ['red', T.lost];
  // It is heard, and says no place.
  const placeless = isHeard() && T.named({ name: T.sources.ble, value: T.signals.noPlace });
  if (!name && placeless) return ['red', placeless];
  if (!name && s?.state === 'waitingForAPRS') return ['red', T.states[s.state]];
  if (!s || !name) return ['grey', Number.isFinite(heard()) ? T.states.noTelemetry : T.nothing];
  const isOurs = s.source === 'ble';
  const hasNews = isOurs ? age('position') <= 3000 : receivedAge('position') <= 40000;
  if (!hasNews) return ['red', (isOurs && placeless) || T.named({ name, value: silenceWord(s) })];
  return [isOurs ? 'green' : 'orange', name];
}

/**
 * The flight's phase in words.
 * @param {import('../drive/situation.js').Facts} f
 */
export const phaseWord = f => (isGuess(f) ? T.probablyLanded : T.phases[f.phase ?? ''] || T.phases.unknown);
