// What works, and what is missing and what to do, as the gateway's doctor says it.
import { whenText } from '../drive/words.js';
import { chase, gatewayTime, health, since } from './stream.js';
import { T } from './texts.js';
import { span } from './units.js';

/**
 * What the gateway found. `code` and `place` are null where only its English text says it.
 * @typedef {{subject?: string, text: string, code?: ?string, place?: ?string}} Finding
 * @typedef {Finding & {subject: string, ok: boolean, code: ?string}} Line  Of `/api/diagnosis`.
 */

/**
 * Whether nothing is missing: without gpsd the car may still be known, by a phone.
 * @param {Line} line
 */
export const isMet = line => line.ok || (line.subject === 'gpsd' && !!chase());

/** How many messages wait for the broker. */
export const waiting = () => (health()?.queue_depth ?? 0) + (health()?.spool?.depth ?? 0);

/** "since 12:03", or "for 5 min" while the clock is not set; nothing while the gateway has a session. */
function awayText() {
  const seconds = health()?.broker?.away_s;
  if (typeof seconds !== 'number') return '';
  const ms = seconds * 1000 + since('health');
  const began = Number.isFinite(gatewayTime()) && whenText(new Date(gatewayTime() - ms).toISOString());
  return began ? T.brokerSince(began) : T.brokerFor(span(ms));
}

/**
 * The page's own words for a finding; if it has none, the gateway's English text.
 * @param {Finding} finding
 */
export function words({ subject, code, place, text }) {
  const known = T.diagnosis[code ?? ''];
  const cause = typeof known === 'function' ? known(place) : (known ?? text);
  if (subject !== 'broker') return cause;
  const state = [awayText(), waiting() > 0 && T.messagesWait(waiting())].filter(Boolean).join(', ');
  return state ? T.named({ name: state, value: cause }) : cause;
}
