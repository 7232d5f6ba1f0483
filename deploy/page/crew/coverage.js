// How far and how strongly the receiver has heard over all flights, by direction and distance.
import { el, put } from '../shared/dom.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { record } from './record.js';
import {
  cellShapes,
  compassName,
  greatest,
  horizonShapes,
  limits,
  radius,
  ringOf,
  sector,
} from './sectors.js';

/** @typedef {import('./sectors.js').Direction} Direction */

/**
 * The gateway's answer.
 * @typedef {object} Coverage
 * @property {number} samples
 * @property {number[]} bands_km       Where the next band begins.
 * @property {Direction[]} directions  Clockwise from north.
 */

/** Where the letters of the compass stand, from the plot's middle. */
const letterAt = 121;
/** Half of the picture's side. */
const half = 130;
/** Degrees at which the distances stand: on the edge of the northern sector, where one is above the other. */
const labelBearing = 11.25;

/**
 * A direction in words; with letters where there is no word.
 * @param {Direction} direction
 */
const directionText = ({ name, bearing_deg }) =>
  bearing_deg % 45 ? compassName(name, T.coverage.compass) : T.winds[u.octant(bearing_deg)];

/** @param {?number} [dBm] */
const levelText = dBm => u.text(u.dBm(dBm));

/**
 * A band in numbers: "< 10", "10 – 25", "> 200".
 * @param {number[]} bands  Kilometres.
 * @param {number} band
 */
export function bandText(bands, band) {
  const at = (/** @type {number} */ i) => u.distance((bands[i] ?? 0) * 1000)[0];
  if (band === 0) return `<\u202f${at(0)}`;
  if (band >= bands.length) return `>\u202f${at(bands.length - 1)}`;
  return `${at(band - 1)}\u202f–\u202f${at(band)}`;
}

/** The unit of those numbers. */
const bandUnit = () => u.shownAs('far')[1];

/**
 * How far it has heard, in words.
 * @param {Coverage} coverage
 */
export function farthestText({ directions }) {
  const far = greatest(directions, 'farthest_m');
  if (!far) return T.coverage.none;
  const value = u.joined(u.text(u.distance(far.farthest_m)), directionText(far));
  return T.named({ name: T.coverage.farthest, value });
}

/** @param {number} count */
const samplesText = count => T.named({ name: T.coverage.samples, value: u.tick(count) });

/**
 * A horizon in tenths of a degree.
 * @param {?number} [angle]
 */
const degrees = angle => u.tick(+(angle ?? 0).toFixed(1));

/**
 * The highest ground around, in words; nothing if nobody knows it.
 * @param {Coverage} coverage
 */
export function horizonText({ directions }) {
  const high = greatest(directions, 'horizon_deg');
  return (
    high &&
    T.named({
      name: T.coverage.horizon,
      value: u.joined(T.elevation(degrees(high.horizon_deg)), directionText(high)),
    })
  );
}

/**
 * What was heard in one sector and band, in words.
 * @param {Coverage} coverage
 * @param {number} direction
 * @param {number} band
 */
export function cellText({ bands_km, directions }, direction, band) {
  const cell = directions[direction]?.cells[band];
  if (!cell) return '';
  return u.joined(
    directionText(directions[direction]),
    u.text([bandText(bands_km, band), bandUnit()]),
    levelText(cell.mean_rssi_dbm),
    samplesText(cell.samples),
  );
}

/**
 * Where something is in the picture.
 * @param {number} bearing
 * @param {number} r
 */
function at(bearing, r) {
  const angle = (bearing * Math.PI) / 180;
  return `x="${(r * Math.sin(angle)).toFixed(1)}" y="${(-r * Math.cos(angle)).toFixed(1)}"`;
}

/**
 * The picture as SVG. Only numbers of the answer come into it.
 * @param {Coverage} coverage
 */
function drawing({ bands_km, directions }) {
  const count = bands_km.length + 1;
  const rings = bands_km.map((_, band) => ringOf(band, count));
  const width = 360 / directions.length;
  const distances = bands_km.map((km, band) => {
    const [value] = u.distance(km * 1000);
    const text = band === bands_km.length - 1 ? u.text([value, bandUnit()]) : value;
    return `<text class="distance" ${at(labelBearing, rings[band])}>${text}</text>`;
  });
  return (
    `<svg viewBox="${-half} ${-half} ${2 * half} ${2 * half}" aria-hidden="true">` +
    `<circle class="ground" r="${radius}"/>` +
    cellShapes(directions)
      .map(
        ({ direction, band, level, path }) =>
          `<path class="cell l${level}" data-direction="${direction}" data-band="${band}" d="${path}"/>`,
      )
      .join('') +
    rings.map(r => `<circle class="grid" r="${r}"/>`).join('') +
    directions
      .map(({ bearing_deg }) => `<path class="grid" d="${sector(bearing_deg, width, 0, radius)}"/>`)
      .join('') +
    horizonShapes(directions)
      .map(path => `<path class="horizon" d="${path}"/>`)
      .join('') +
    T.coverage.compass
      .map(
        (/** @type {string} */ letter, /** @type {number} */ i) =>
          `<text class="letter" ${at(i * 90, letterAt)}>${letter}</text>`,
      )
      .join('') +
    `${distances.join('')}</svg>`
  );
}

/** The levels' shades with their dBm, the strongest first. */
function legend() {
  const last = limits.length;
  const range = (/** @type {number} */ level) => {
    if (level === last) return u.joined(`>\u202f${levelText(limits[last - 1])}`, T.coverage.strong);
    if (level === 0) return u.joined(`<\u202f${levelText(limits[0])}`, T.coverage.weak);
    return `${u.plain(limits[level - 1])} … ${levelText(limits[level])}`;
  };
  const line = (/** @type {unknown} */ _, /** @type {number} */ i) => {
    const shade =
      '<svg viewBox="0 0 32 24" aria-hidden="true"><path class="cell" d="M1 1h30v22h-30z"/></svg>';
    const box = el('span');
    box.innerHTML = shade.replace('cell', `cell l${last - i}`);
    return el('li', {}, box, range(last - i));
  };
  return el('ul', { class: 'levels' }, ...Array.from({ length: last + 1 }, line));
}

/**
 * All figures, for whoever wants or can't see the picture.
 * @param {Coverage} coverage
 */
function table({ bands_km, directions }) {
  const bands = [...bands_km, 0].map((_, band) => bandText(bands_km, band));
  const hasHorizon = directions.some(one => u.known(one.horizon_deg));
  const heads = [
    T.coverage.direction,
    T.coverage.samples,
    ...bands,
    T.coverage.farthest,
    ...(hasHorizon ? [T.coverage.horizon] : []),
  ];
  const row = (/** @type {Direction} */ one) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, directionText(one)),
      ...[
        u.tick(one.heard),
        ...one.cells.map(cell => (cell ? u.plain(Math.round(cell.mean_rssi_dbm)) : '–')),
        u.text(u.distance(one.farthest_m)),
        ...(hasHorizon ? [u.known(one.horizon_deg) ? `${degrees(one.horizon_deg)}°` : '–'] : []),
      ].map(text => el('td', {}, text)),
    );
  return el(
    'details',
    { class: 'figures' },
    el('summary', {}, T.coverage.table),
    // A narrow screen scrolls it sideways; a keyboard can, too.
    el(
      'div',
      { class: 'scrolled', tabindex: 0, role: 'region', 'aria-label': T.coverage.table },
      el(
        'table',
        {},
        el('caption', {}, u.joined(T.coverage.name, bandUnit(), 'dBm')),
        el('thead', {}, el('tr', {}, ...heads.map(text => el('th', { scope: 'col' }, text)))),
        el('tbody', {}, ...directions.map(row)),
      ),
    ),
  );
}

/** @param {Coverage} coverage */
function content(coverage) {
  if (!greatest(coverage.directions, 'farthest_m')) return [el('p', {}, T.coverage.none)];
  const words = farthestText(coverage);
  const plot = el('div', { class: 'polar', role: 'img', 'aria-label': u.joined(T.coverage.name, words) });
  plot.innerHTML = drawing(coverage);
  const chosen = el('p', { role: 'status', class: 'dim' }, T.coverage.touch);
  plot.onclick = (/** @type {any} */ event) => {
    const cell = event.target.closest('.cell');
    plot.querySelector('.chosen')?.classList.remove('chosen');
    cell?.classList.add('chosen');
    // Drawn above its neighbours its whole outline is seen.
    if (cell) plot.querySelector('text')?.before(cell);
    const { direction, band } = cell?.dataset ?? {};
    put(chosen, (cell && cellText(coverage, +direction, +band)) || T.coverage.touch);
  };
  const horizon = horizonText(coverage);
  const around = horizon ? [el('p', {}, horizon), el('p', { class: 'dim' }, T.coverage.ring)] : [];
  return [
    el(
      'div',
      { class: 'beside' },
      plot,
      el(
        'div',
        {},
        el('p', { class: 'farthest' }, words),
        el('p', {}, samplesText(coverage.samples)),
        ...around,
        legend(),
        chosen,
      ),
    ),
    table(coverage),
  ];
}

/** The card. */
export const coverage = record(T.coverage.title, 'api/coverage', content);
