// The signal: how strong it is now, the receiver's battery, and the last 5 minutes as a line.
import { el, put } from '../shared/dom.js';
import { listen, now, radio } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';

/** Milliseconds of the line, and those without a value that break it. */
const span = 300000;
const gapAfter = 5000;
/** The levels at the picture's lower and upper edge, and those with a line, dBm. */
const [lowest, highest] = [-130, -40];
const marked = [-60, -90, -120];

/**
 * [when, dBm]
 * @type {Array<[number, number]>}
 */
const values = [];

const level = el('b');
const battery = el('span', { class: 'dim' });
/** @param {number} dbm */
const percent = dbm => ((highest - dbm) / (highest - lowest)) * 100;
const marks = marked.map(dbm => {
  const mark = el('span', {}, u.plain(dbm));
  mark.style.top = `${percent(dbm)}%`;
  return mark;
});
const plot = el('div', { class: 'plot' });
const picture = el('div', { class: 'trace', role: 'img', 'aria-label': T.rssi }, plot, ...marks);

/** The newest value, large, with the receiver's battery; below them the line. */
export const signal = el(
  'div',
  { class: 'signal' },
  el('p', { class: 'big' }, level, el('span', {}, 'dBm'), battery),
  picture,
  el('p', { class: 'ends' }, el('span', {}, T.ago(u.span(span))), el('span', {}, T.now)),
);

listen(() => {
  const rssi = radio()?.rssi_dbm;
  if (rssi == null) return;
  values.push([now(), rssi]);
  while (values[0][0] < now() - span) values.shift();
}, 'radio');

function line() {
  let last = -Infinity;
  return values.map(([when, dbm]) => {
    const move = when - last > gapAfter ? 'M' : 'L';
    last = when;
    return `${move}${(100 - (now() - when) / (span / 100)).toFixed(2)} ${percent(dbm).toFixed(1)}`;
  });
}

/** Draws the newest values. */
export function drawSignal() {
  const { rssi_dbm: rssi, battery_pct: charge, battery_v: volts } = radio() ?? {};
  put(level, u.known(rssi) ? u.plain(Math.round(rssi)) : '–');
  put(
    battery,
    u.known(charge)
      ? u.joined(`${T.battery} ${charge} %`, u.known(volts) && u.text([u.plain(volts.toFixed(2)), 'V']))
      : '',
  );
  const grid = marked.map(dbm => `M0 ${percent(dbm).toFixed(1)}H100`);
  plot.innerHTML =
    '<svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">' +
    `<path class="grid" d="${grid.join('')}"/><path d="${line().join('')}"/></svg>`;
}
