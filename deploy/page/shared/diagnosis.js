// What works, and what is missing and what to do, as the gateway's doctor says it.
import { T } from './texts.js';

/**
 * A line of `/api/diagnosis`.
 * @typedef {{subject: string, ok: boolean, text: string, code: ?string, place: ?string}} Line
 */

/** The page's own words for a finding; if it has none, the gateway's English text.  @param {Line} line */
export function words({ code, place, text }) {
  const known = T.diagnosis[code];
  return typeof known === 'function' ? known(place) : (known ?? text);
}
