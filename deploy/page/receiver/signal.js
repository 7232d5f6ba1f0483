// The signal of the last 5 minutes as a line.
import { body, el, put } from '../shared/dom.js';
import { listen, now, radio } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';

const mostValues = 400;
/** Milliseconds without a value that break the line. */
const gapAfter = 5000;
const width = 600;
const height = 80;

/** [when, dBm] @type {Array<[number, number]>} */
const values = [];

const picture = el('canvas', { width, height, role: 'img', 'aria-label': T.rssi });
const level = el('b');
const battery = el('span', { class: 'dim' });

/** The newest value, large, with the receiver's battery; below them the line. */
export const signal = el('div', {}, el('p', { class: 'big' }, level, battery), picture);

listen(() => {
  const rssi = radio()?.rssi_dbm;
  if (rssi == null) return;
  values.push([now(), rssi]);
  if (values.length > mostValues) values.shift();
}, 'radio');

/** Draws the line; half a second is a pixel. */
export function drawSignal() {
  const { rssi_dbm: rssi, battery_pct: charge } = radio() ?? {};
  put(level, u.known(rssi) ? u.text([u.plain(Math.round(rssi)), 'dBm']) : '–');
  put(battery, u.known(charge) ? `${T.battery} ${charge} %` : '');
  const g = picture.getContext('2d');
  let last = 0;
  g.clearRect(0, 0, width, height);
  g.strokeStyle = getComputedStyle(body).color;
  g.lineWidth = 2;
  g.beginPath();
  for (const [when, value] of values) {
    const x = width - (now() - when) / 500;
    const y = height - (value + 130) * 0.9;
    if (when - last > gapAfter) g.moveTo(x, y);
    else g.lineTo(x, y);
    last = when;
  }
  g.stroke();
}
