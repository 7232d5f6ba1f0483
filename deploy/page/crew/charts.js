// Charts over time, by Debian's dygraphs.
import { el, put } from '../shared/dom.js';
import { loadScript, loadStyle } from '../shared/load.js';
import { isSynced, json, landing, listen, now, position, radio } from '../shared/stream.js';
import { locale, T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { climbs } from './climb.js';
import { levels } from './levels.js';
import { labelWidth, unrepeated } from './ticks.js';

/** The most values of a live chart: an hour of one a second. */
const mostValues = 3600;

/** Milliseconds after which the charts of the flight in hand are drawn anew. */
const interval = 10000;

/** @typedef {Array<Array<Date|number|null>>} Rows  The time, or another quantity, then the values. */

/** @type {Record<string, Rows>} */
const live = { signal: [], weather: [], radius: [] };

/**
 * Altitude, temperature, humidity.
 * @type {Array<[number, ?number, ?number]>}
 */
const heights = [];

/** @param {string} name  @param {Rows[number]} row */
function keep(name, row) {
  live[name].push(row);
  if (live[name].length > mostValues) live[name].shift();
}

/** Collects the values that no store keeps. */
export function startCharts() {
  listen(() => {
    const r = radio();
    // By the gateway's clock, as what it has recorded.
    if (r?.rssi_dbm != null) keep('signal', [new Date(r.received_at), r.rssi_dbm]);
  }, 'radio');
  listen(() => {
    const p = position();
    if (p?.temperature_c != null || p?.humidity_pct != null) {
      keep('weather', [new Date(p.time), p.temperature_c, p.humidity_pct]);
      heights.push([p.altitude_m, p.temperature_c, p.humidity_pct]);
      if (heights.length > mostValues) heights.shift();
    }
  }, 'position');
  listen(() => {
    const l = landing();
    if (l?.error_radius_50_m != null) {
      keep('radius', [new Date(), l.error_radius_50_m, l.error_radius_90_m]);
    }
  }, 'landing');
}

const methods = ['tawhiri', 'sondehub', 'own_winds'];

// How far off each method was, as the report says after the landing.
function score() {
  /** @type {?Record<string, ?Record<string, ?number>> | undefined} */
  const known = landing()?.score;
  if (!known) return [];
  const rows = [-30, -15, -5, 0].map(minute => [
    minute,
    ...methods.map(method => known[method]?.[minute ? `min_${-minute}_m` : 'now_m'] ?? null),
  ]);
  return rows.filter(([, ...errors]) => errors.some(error => error != null));
}

/**
 * The charts; those that are not over time name their own axis.
 * @type {Record<string, string>}
 */
const axes = {
  altitude: T.time,
  climb: T.time,
  signal: T.time,
  weather: T.time,
  weatherByHeight: T.altitude,
  radius: T.time,
  score: T.minutesBefore,
};
/**
 * What the values of a chart are; the captions of the others name their units.
 * @type {Record<string, 'height' | 'climb'>}
 */
const quantities = { altitude: 'height', climb: 'climb', radius: 'height', score: 'height' };

/**
 * The scale and the symbol of a chart's values.
 * @param {string} name
 * @returns {[number, string]}
 */
const unitOf = name => (quantities[name] ? u.shownAs(quantities[name]) : [1, name === 'signal' ? 'dBm' : '']);

/**
 * @typedef {object} Box  A chart's place.
 * @property {string} name
 * @property {any} graph  Dygraph's; null before the first drawing.
 * @property {string} unit
 * @property {string} caption  The chart's name as it stands above.
 * @property {HTMLElement} box
 */

/** @type {Box[]} */
const boxes = Object.keys(axes).map(name => ({
  name,
  graph: null,
  /** The symbol of the drawn values. */
  unit: '',
  caption: '',
  box: el('div', { class: 'chart', role: 'img', 'aria-label': T.charts[name] }),
}));
const words = el('p', { role: 'status' });
const title = el('p');

/** The charts that begin later than the flight, because only the page has their values. */
const late = new Set([...Object.keys(live), 'weatherByHeight']);

/**
 * A chart's name; one that begins later than the flight says so.
 * @param {string} name
 */
const captionOf = name => u.joined(T.charts[name], late.has(name) && T.sincePage);

/** The charts. */
export const charts = el(
  'div',
  {},
  title,
  words,
  ...boxes.map(({ box }) => el('figure', { hidden: true }, el('figcaption'), box)),
);

async function load() {
  if (window.Dygraph) return;
  loadStyle('dygraphs/dygraph.css');
  await loadScript('dygraphs/dygraph.js');
  // The legend sets styles in a way that the page's security policy forbids. The caption shows the values.
  const { Dygraph } = window;
  /** @type {any[]} */
  const plugins = Dygraph.PLUGINS;
  Dygraph.PLUGINS = plugins.filter(Plugin => new Plugin().toString() !== 'Legend Plugin');
}

/** @param {string} serial  @returns {Promise<Record<string, Rows>>} */
async function rows(serial) {
  /** @type {Array<[number, number, ?number, ?number]>} */
  const profile = (await json(`api/flights/${encodeURIComponent(serial)}/profile?max=1500`)) ?? [];
  const isCurrent = serial === 'current';
  if (profile.some(([, , , level]) => level != null)) late.delete('signal');
  else late.add('signal');
  /** @type {Array<[number, number]>} */
  const heard = isCurrent ? live.signal.map(([at, level]) => [Number(at), Number(level)]) : [];
  const recorded = {
    altitude: profile.map(([t, altitude]) => [new Date(t), altitude]),
    climb: climbs(profile.map(([t, altitude]) => [t, altitude])).map(([t, climb]) => [new Date(t), climb]),
    signal: levels(profile, heard).map(([t, level]) => [new Date(t), level]),
  };
  // The page has seen the rest of the flight in hand only.
  if (!isCurrent) return recorded;
  const weatherByHeight = [...heights].sort(([a], [b]) => a - b);
  return { ...live, ...recorded, weatherByHeight, score: score() };
}

/** A midnight, to which the first value is moved while the gateway's clock is not set. */
const midnight = new Date(2000, 0, 1).getTime();
/** @param {any} graph  Dygraph's. */
const offset = graph => (isSynced() ? 0 : graph.getValue(0, 0) - midnight);

/**
 * The ticks are at round times of the day; at round times since the first value while the clock is not set.
 * @param {number} from
 * @param {number} to
 * @param {number} pixels
 * @param {any} options
 * @param {any} graph
 * @param {any} values
 */
function timeTicks(from, to, pixels, options, graph, values) {
  const by = offset(graph);
  /** @type {Array<{v: number, label?: string}>} */
  const ticks = window.Dygraph.dateTicker(from - by, to - by, pixels, options, graph, values);
  return unrepeated(ticks.map(tick => ({ ...tick, v: tick.v + by })));
}

/** @param {Date} date  @param {number} granularity */
function timeText(date, granularity) {
  if (!isSynced()) return u.clock((Number(date) - midnight) / 1000)[0];
  const second = granularity < window.Dygraph.Granularity.MINUTELY ? '2-digit' : undefined;
  return date.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit', second, hourCycle: 'h23' });
}

/**
 * A chart's labels in the page's language and units.
 * @param {Box} one
 */
function axisOptions(one) {
  const { name } = one;
  /** @param {number} v */
  const heights = v => u.text([u.tick(v), u.shownAs('height')[1]]);
  const x = name === 'weatherByHeight' ? heights : u.tick;
  return {
    y: {
      axisLabelFormatter: (/** @type {number} */ v) => u.text([u.tick(v), one.unit]),
      axisLabelWidth: labelWidth(one.unit),
    },
    x:
      axes[name] === T.time
        ? { ticker: timeTicks, axisLabelFormatter: timeText, axisLabelWidth: 70 }
        : { axisLabelFormatter: x, axisLabelWidth: 84 },
  };
}

/**
 * The values in the chosen units.
 * @param {string} name
 * @param {Rows} file
 * @returns {Rows}
 */
function scaled(name, file) {
  const [scale] = unitOf(name);
  const across = name === 'weatherByHeight' ? u.shownAs('height')[0] : 1;
  if (scale === 1 && across === 1) return file;
  /** @param {Date | number | null} v  @param {number} factor */
  const by = (v, factor) => (typeof v === 'number' ? v / factor : v);
  return file.map(([x, ...values]) => [by(x, across), ...values.map(v => by(v, scale))]);
}

/** The lines' colours by day: the style sheet inverts a chart at night. None is the car's. */
const colors = ['#0d1210', '#980b70', '#00706a'];

/** @param {Box} one  @param {Rows} file */
function make(one, file) {
  const { name, box } = one;
  const caption = box.previousElementSibling;
  /**
   * @param {unknown} _event
   * @param {unknown} _x
   * @param {Array<{name: string, yval: number}>} points
   */
  const highlightCallback = (_event, _x, points) => {
    const shown = points.map(point => `${point.name} ${u.text([u.tick(point.yval), one.unit])}`);
    put(caption, u.joined(T.charts[name], ...shown));
  };
  return new window.Dygraph(box, file, {
    labels: [axes[name], ...[T.chartValues[name]].flat()],
    axes: axisOptions(one),
    colors,
    strokeWidth: 2,
    connectSeparatedPoints: name === 'score',
    drawPoints: name === 'score',
    highlightCallback,
    unhighlightCallback: () => put(caption, captionOf(name)),
  });
}

let drawnAt = -Infinity;

/**
 * Draws the flight in hand anew after some time.
 * @param {string} serial
 */
export function refreshCharts(serial) {
  if (serial === 'current' && now() - drawnAt > interval && window.Dygraph) drawCharts(serial);
}

/**
 * Draws the charts of a flight.
 * @param {string} serial  `current` is the one in hand.
 */
export async function drawCharts(serial) {
  try {
    await load();
  } catch {
    return put(words, T.noCharts);
  }
  drawnAt = now();
  // The screen may have had another size, or none, since. A lost gateway does not answer.
  for (const { graph } of boxes) graph?.resize();
  const values = await rows(serial);
  // The screen was left since. A chart made without a place keeps a size of its own for ever.
  if (!charts.clientWidth) return;
  put(title, serial === 'current' ? '' : serial);
  for (const one of boxes) {
    const { name, box } = one;
    const file = scaled(name, values[name] ?? []);
    [, one.unit] = unitOf(name);
    if (box.parentElement) box.parentElement.hidden = !file.length;
    if (!file.length) continue;
    // While a value is pointed at, the caption says it.
    if (one.caption !== captionOf(name)) {
      one.caption = captionOf(name);
      put(box.previousElementSibling, one.caption);
    }
    if (one.graph) one.graph.updateOptions({ file });
    else one.graph = make(one, file);
  }
  put(words, Object.values(values).some(list => list.length) ? '' : T.noFlights);
}
