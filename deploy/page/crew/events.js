// The last events, and the banner for those that must not be overlooked.

import { timeText } from '../drive/words.js';
import { now } from '../shared/clock.js';
import { $, button, el, put } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { data, gatewayTime, health, isSynced, json, listen } from '../shared/stream.js';
import { language, T } from '../shared/texts.js';

const mostEvents = 50;
/** Events that stay on every screen until somebody touches them. */
const alarms = ['store_failed', 'store_replaced', 'other_gateway', 'track_truncated'];
/** Events that replace one of their kind. */
const repeated = ['landing_moved', 'distance', 'status'];
/** What ends an alarm. */
/** @type {Record<string, string>} */
const ends = { store_recovered: 'store_failed' };

/**
 * The alarms that `health` still tells a page that was opened after the event: in words, or nothing.
 * @type {Record<string, (health: ?Report.Health) => ?string | undefined>}
 */
const standing = {
  store_failed: health => health?.store_fault && T.recordingStopped(T.storeFaults[health.store_fault]),
  other_gateway: health => health?.other_gateway && T.twice,
};
/**
 * The picture of an event, by its name; others have that of the receiver.
 * @type {Record<string, string>}
 */
const pictures = {
  first_prediction: 'place',
  landing_moved: 'place',
  distance: 'car',
  altitude: 'balloon',
  first_sonde: 'balloon',
  launched: 'up',
  burst: 'care',
  landed: 'flag',
  scored: 'good',
  recovered: 'done',
};

/** The standing alarms that were shown, and those of the last `health`. */
const told = new Set();
let lasting = new Set();

/**
 * An event, in the gateway's language. `unset` is the gateway's time at the page's time 0, if its clock was not set.
 * @typedef {{at: string, event: string, text: string, language?: string, unset?: number}} Happening
 */

/**
 * The newest first.
 * @type {Happening[]}
 */
let events = [];
let alarm = '';

/** The list. */
export const list = el('ul', { class: 'events', 'aria-label': T.events });

/** @param {string} event  @param {string} text  @param {string} spoken */
function showAlarm(event, text, spoken = language) {
  alarm = event;
  $('banner').hidden = event === '';
  // A screen reader reads the gateway's sentences in the gateway's language.
  const sentence = $('banner').querySelector('span');
  sentence?.setAttribute('lang', spoken);
  put(sentence, text);
}

/** @param {string} event */
function finish(event) {
  told.delete(event);
  if (alarm === event) showAlarm('', '');
}

function judgeHealth() {
  const before = lasting;
  lasting = new Set();
  for (const [event, words] of Object.entries(standing)) {
    const text = words(health());
    if (text) {
      lasting.add(event);
      if (!told.has(event)) showAlarm(event, text);
      told.add(event);
    } else if (before.has(event)) finish(event);
  }
}

/**
 * Of several of these in a row only the newest stays, so that they do not push the others out.
 * @param {Happening[]} list  The newest first.
 * @param {Happening} one
 */
function added(list, { at, event, text, language: spoken, unset }) {
  const before = event === list[0]?.event && repeated.includes(event) ? list.slice(1) : list;
  return [{ at, event, text, language: spoken, unset }, ...before].slice(0, mostEvents);
}

/**
 * The event as it is heard now.
 * @param {Happening} one
 * @returns {Happening}
 */
const heard = one => (isSynced() || !data.alive ? one : { ...one, unset: gatewayTime() - now() });

/**
 * When it happened, by the gateway's clock as it is now: milliseconds since 1970. A clock that is set in the meantime
 * would let it seem hours old.
 * @param {Happening} one
 */
const time = ({ at, unset }) => Date.parse(at) + (unset === undefined ? 0 : gatewayTime() - now() - unset);

/** Whoever opens the page late sees what happened before. It is shown, not said. */
async function readEarlier() {
  /** @type {Happening[] | undefined} */
  const earlier = await json('api/events/last');
  if (!Array.isArray(earlier)) return;
  const known = new Set(events.map(one => one.at + one.event));
  const others = earlier.filter(one => one.event !== 'said' && !known.has(one.at + one.event)).map(heard);
  const all = [...others, ...events].sort((a, b) => time(a) - time(b));
  events = all.reduce(added, []);
}

/** Begins to listen. */
export function startEvents() {
  readEarlier();
  $('banner').append(
    el('span'),
    button(T.close, () => showAlarm('', '')),
  );
  listen(() => {
    const happened = data.event;
    // The event itself came before.
    if (!happened || happened.event === 'said') return;
    const { event, text, language: spoken } = happened;
    events = added(events, heard(happened));
    if (alarms.includes(event)) showAlarm(event, text, spoken);
    if (event in standing) told.add(event);
    if (ends[event]) finish(ends[event]);
  }, 'event');
  listen(judgeHealth, 'health');
  // The snapshot came before this file.
  judgeHealth();
}

/**
 * When it happened; only the time since while the gateway's clock is not set, and nothing before that is known.
 * @param {Happening} one
 */
const whenHeard = one => (Number.isFinite(time(one)) ? timeText(time(one)) : '');

/** Draws the list. */
export function drawEvents() {
  const key = `${events[0]?.at}${events.length}${isSynced() ? '' : Math.floor(gatewayTime() / 10000)}`;
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  /** @param {Happening} one */
  const item = one =>
    el(
      'li',
      { 'data-event': one.event },
      el('time', {}, whenHeard(one)),
      ' ',
      icon(alarms.includes(one.event) ? 'bad' : (pictures[one.event] ?? 'receiver')),
      el('span', { lang: one.language }, one.text),
    );
  list.replaceChildren(...(events.length ? events.map(item) : [el('li', { class: 'none-yet' }, T.noEvents)]));
}
