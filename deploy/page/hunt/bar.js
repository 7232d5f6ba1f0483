// The signal's bar on Drive: how strong it is, how it changes, the tone, and a bearing by one touch.
import { asked, onAsked } from '../shared/command.js';
import { $, button, cls, el, put } from '../shared/dom.js';
import { icon, putIcon } from '../shared/icons.js';
import { aged, hunt, now } from '../shared/model.js';
import { isToneOn } from '../shared/sound.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { takeAhead } from './bearing.js';
import { signal } from './heard.js';
import { showBearings } from './sheet.js';
import { freshFor, percent } from './signal.js';
import { touchTone } from './tone.js';

const level = el('span', { class: 'fill' });
const peak = el('span', { class: 'peak' });
const gauge = el(
  'div',
  { class: 'gauge', role: 'meter', 'aria-valuemin': '-130', 'aria-valuemax': '-40', 'aria-label': T.signal },
  level,
  peak,
);
const rssi = el('b');
const values = el('span', { class: 'values' });
const sign = el('span', { class: 'trend', 'aria-hidden': 'true' });
const trend = el('span');
const facts = el('p', {}, rssi, el('span', { class: 'way' }, sign, trend), values);
/**
 * @param {string} id
 * @param {string} name  The icon's.
 * @param {string} words
 * @param {() => void} onclick
 * @param {Record<string, unknown>} props
 */
const act = (id, name, words, onclick, props = {}) => {
  const made = button('', onclick, { id, ...props });
  made.append(icon(name), el('span', {}, words));
  return made;
};
const tone = act('tone', 'tone', T.signals.tone, touch);
const ahead = act('ahead', 'up', T.signals.ahead, takeAhead, { class: 'mine' });
const bearings = act('bearings', 'compass', T.signals.bearings, () => showBearings());
const bar = el(
  'div',
  { id: 'hunt', role: 'group', 'aria-label': T.signal, hidden: true },
  el('div', { class: 'strength' }, gauge, facts),
  el('div', { class: 'acts' }, tone, ahead, bearings),
);

function touch() {
  touchTone();
  drawHunt();
}

/** Makes the bar. */
export function startHunt() {
  $('numbers').after(bar);
  onAsked(drawHunt);
}

/**
 * Whose signal it is: only where somebody may take it for another's.
 * @param {import('./signal.js').Signal} heard
 */
function whose({ serial, isOther, others }) {
  /** @param {?string} one */
  const name = one => one ?? T.signals.nameless;
  if (isOther) return T.signals.other(name(serial));
  return others.length > 0 && [serial, ...others].map(name).join(' + ');
}

/** Draws the bar while it is needed. */
export function drawHunt() {
  const heard = signal();
  const isNeeded = !$('drive').hidden && !!heard && !!hunt();
  bar.hidden = !isNeeded;
  cls($('drive'), 'hunting', isNeeded);
  if (!isNeeded) return;
  const { words, isOld } = aged('', heard.age, freshFor);
  /** @param {number} dBm */
  const text = dBm => u.plain(Math.round(dBm));
  cls(bar, 'old', isOld);
  // The numbers above say the same large.
  const isBrief = now().lines[0].id === 'rssi';
  cls(bar, 'brief', isBrief);
  level.style.width = `${percent(heard.rssi).toFixed(1)}%`;
  peak.style.left = `${percent(heard.peak).toFixed(1)}%`;
  put(rssi, u.text(u.dBm(heard.rssi)));
  const rest = [`${T.signals.mean} ${text(heard.mean)}`, `${T.signals.peak} ${text(heard.peak)}`];
  put(values, u.joined(...(isBrief ? [] : rest), words, whose(heard)));
  const way = isOld ? null : heard.trend;
  cls(sign.parentElement, 'none', !way);
  if (way) putIcon(sign, way);
  put(trend, way ? T.signals.trends[way] : '');
  gauge.setAttribute('aria-valuenow', String(Math.round(heard.rssi)));
  gauge.setAttribute('aria-valuetext', u.joined(rssi.textContent, ...rest, words, trend.textContent));
  tone.setAttribute('aria-pressed', String(isToneOn()));
  ahead.disabled = T.signals.bearing in asked;
}
