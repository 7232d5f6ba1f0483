// Numbers for people. A figure is a number and its unit, or several of them: "2", "h", "16".
import { stored } from './stored.js';
import { T } from './texts.js';

/** @typedef {string[]} Figure  Numbers and words in turn, a number first. */

const metric = {
  far: /** @type {[number, string]} */ ([1000, T.unit.kilometre]),
  near: /** @type {[number, string]} */ ([1, T.unit.metre]),
  height: /** @type {[number, string]} */ ([1, T.unit.metre]),
  speed: /** @type {[number, string]} */ ([1 / 3.6, T.unit.kmh]),
  climb: /** @type {[number, string]} */ ([1, T.unit.mps]),
};
/** @type {typeof metric} */
const imperial = {
  far: [1609.344, T.unit.mile],
  near: [0.3048, T.unit.foot],
  height: [0.3048, T.unit.foot],
  speed: [0.44704, T.unit.mph],
  climb: [0.00508, T.unit.footPerMinute],
};
/** @type {Record<string, typeof metric>} */
const tables = {
  metric,
  imperial,
  aviation: { ...imperial, far: [1852, T.unit.seaMile], speed: [1852 / 3600, T.unit.knot] },
};
const names = Object.keys(tables);

/**
 * The figure of an unknown value.
 * @type {Figure}
 */
export const none = ['–', ''];

let usual = 'metric';

/**
 * Notes the configuration's units.
 * @param {string} [name]
 */
export function useUnits(name) {
  usual = name ?? usual;
}

/** The chosen units, else the configuration's: `metric`, `imperial` or `aviation`. */
export const units = () => stored.read('units') || usual;

export function nextUnits() {
  stored.keep('units', names[(names.indexOf(units()) + 1) % names.length]);
}

const table = () => tables[units()] || metric;

/** Metres of a kilometre, a mile or a nautical mile. */
export const far = () => table().far[0];

/** @param {unknown} v  @returns {v is number} */
export const known = v => typeof v === 'number' && Number.isFinite(v);

/**
 * No minus before zero.
 * @param {number} v
 * @param {number} digits
 */
function fixed(v, digits) {
  const text = v.toFixed(digits);
  return +text ? text : text.replace('-', '');
}

/** @param {number} v  @param {number} digits */
function grouped(v, digits = 0) {
  const text = fixed(v, digits).replace('-', '−').replace('.', T.decimal);
  return text.replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** @type {(v: unknown, unit: [number, string], digits?: number) => Figure} */
const as = (v, [scale, unit], digits = 0) => (known(v) ? [grouped(v / scale, digits), unit] : none);

/**
 * @param {?number} [m]  Metres.
 * @param {number} [step]  Metres: how finely it is known. With it the decimals do not depend on the value.
 * @returns {Figure}
 */
export function distance(m, step) {
  if (!known(m)) return none;
  const { far, near } = table();
  const v = m / far[0];
  if (v < 1) return as(m, near);
  const isWhole = known(step) ? step >= far[0] : Math.abs(v - Math.round(v)) <= 0.01;
  return as(m, far, v < 100 && !isWhole ? 1 : 0);
}

/**
 * How far off a place may be: two digits.
 * @param {?number} [m]  Metres.
 * @returns {Figure}
 */
export function radius(m) {
  if (!known(m)) return none;
  const { far, near } = table();
  const scale = m < far[0] ? near[0] : far[0];
  return distance(Number((m / scale).toPrecision(2)) * scale);
}

/** @param {?number} [m]  Metres.  @returns {Figure} */
export const height = m => as(m, table().height);

/** @param {?number} [m]  Metres; the figure has a sign.  @returns {Figure} */
export function signed(m) {
  const [value, unit] = height(m);
  return [((m ?? 0) > 0 && value !== '0' ? '+' : '') + value, unit];
}

/** @param {?number} [v]  Metres a second, over the ground.  @returns {Figure} */
export const speed = v => as(v, table().speed);

/** @param {?number} [v]  Metres a second, upwards.  @returns {Figure} */
export const climb = v => as(v, table().climb, table().climb[0] === 1 ? 1 : 0);

/** @param {?number} [v]  dBm.  @returns {Figure} */
export const dBm = v => (known(v) ? [grouped(v), 'dBm'] : none);

/** @param {?number} [f]  MHz. */
export const mhz = f => (known(f) ? f.toFixed(3).replace('.', T.decimal) : '–');

/**
 * How a quantity is shown in the chosen units: how much of SI one is, and its symbol.
 * @param {keyof typeof metric} quantity
 */
export const shownAs = quantity => table()[quantity];

/**
 * A number on the axis of a chart: with groups, and the decimals that it has.
 * @param {number} v
 */
export function tick(v) {
  const [whole, part] = String(Math.abs(+v.toPrecision(6))).split('.');
  return (v < 0 ? '−' : '') + grouped(+whole) + (part ? T.decimal + part : '');
}

/**
 * A plain number with the language's decimal sign.
 * @param {number | string} v
 */
export const plain = v => String(v).replace('-', '−').replace('.', T.decimal);

/**
 * The parts that are there, with dots between.
 * @param {...unknown} parts  Texts; what is not there is left out.
 */
export const joined = (...parts) => parts.filter(Boolean).join(' · ');

/**
 * A figure as one text.
 * @param {Figure} figure
 */
export const text = figure => figure.filter(Boolean).join('\u00a0');

/** @param {number} n */
const two = n => String(n).padStart(2, '0');

/** @param {?number} [s]  Seconds.  @returns {Figure} As "1:02:03" or "2:03". */
export function clock(s) {
  if (!known(s)) return none;
  const t = Math.abs(Math.round(s));
  const hours = Math.floor(t / 3600);
  const minutes = Math.floor(t / 60) % 60;
  const sign = s < 0 && t ? '−' : '';
  return [`${sign}${hours ? `${hours}:${two(minutes)}` : minutes}:${two(t % 60)}`, ''];
}

/** Seconds below which a duration is shown with seconds, and from which with hours. */
const exactBelow = 300;
const hoursFrom = 6000;

/** Before a value that is known only roughly. */
export const about = '≈\u202f';

/** Seconds to which a time is rounded that is known no better. */
const timeSteps = [60, 120, 300, 600, 900, 1800, 3600];

/**
 * How finely a time is told that may be off by so many seconds; 0 if it is known to the minute.
 * @param {?number} [off]
 */
export const timeStep = off => timeSteps.filter(step => step <= (off ?? 0)).at(-1) ?? 0;

/**
 * The nearest step, but never none.
 * @param {number} s
 * @param {number} step
 */
const rounded = (s, step) => Math.max(step, Math.round(s / step) * step);

/**
 * A duration in its one form: "3 min 20", "76 min", "2 h 16". A prediction is not exact to the second; only the last
 * five minutes have seconds. What may be off by minutes is rounded to them: "≈ 75 min".
 * @param {?number} [s]  Seconds; the sign is left out.
 * @param {?number} [off]  Seconds that it may be off.
 * @returns {Figure}
 */
export function countdown(s, off) {
  if (!known(s)) return none;
  const step = timeStep(off);
  if (step) {
    const [value, ...rest] = countdown(rounded(Math.abs(s), step));
    return [about + value, ...rest];
  }
  const t = Math.round(Math.abs(s));
  const { second, minute, hour } = T.unit;
  if (t < 60) return [String(t), second];
  if (t < exactBelow)
    return t % 60 ? [String(Math.floor(t / 60)), minute, two(t % 60)] : [String(t / 60), minute];
  const minutes = Math.round(t / 60);
  if (t < hoursFrom) return [String(minutes), minute];
  const rest = minutes % 60;
  return rest ? [String(Math.floor(minutes / 60)), hour, two(rest)] : [String(minutes / 60), hour];
}

/**
 * The time in hand, or the delay, in its one form. It is never more than the truth, and never more than the times
 * beside it leave: nobody is told to wait longer than there is time.
 * @param {number} s  Seconds; the sign is left out.
 * @param {?number} [off]   Seconds that the landing may be off.
 * @param {?number} [left]  Seconds to the landing, which is said beside it.
 * @returns {Figure}  As "29 min", "≈ 45 min" or "<15 min".
 */
export function slack(s, off, left) {
  const isRough = timeStep(off) > 0;
  const step = timeStep(off) || 60;
  // A landing that is told as earlier than it is leaves less.
  const cut = isRough && s > 0 && known(left) ? Math.max(0, left - rounded(left, step)) : 0;
  const whole = Math.max(0, Math.floor((Math.abs(s) - cut) / step) * step);
  const { minute, hour } = T.unit;
  const sign = isRough ? about : '';
  if (!whole) return [`<${step / 60}`, minute];
  if (whole < hoursFrom) return [`${sign}${whole / 60}`, minute];
  const hours = `${sign}${Math.floor(whole / 3600)}`;
  const rest = (whole % 3600) / 60;
  return rest ? [hours, hour, two(rest)] : [hours, hour];
}

/**
 * "404,2" and "4042" are 404.2 MHz. NaN if the text is not a number.
 * @param {string} text
 */
export function frequency(text) {
  const digits = text.trim().replace(',', '.');
  if (/^\d{4,6}$/.test(digits)) return +digits / 10 ** (digits.length - 3);
  return digits ? +digits : Number.NaN;
}

/**
 * A rough duration, as "14 s", "3 min" or "5 h".
 * @param {number} ms
 */
export function span(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 120) return `${s} ${T.unit.second}`;
  return s < 7200 ? `${Math.floor(s / 60)} ${T.unit.minute}` : `${Math.floor(s / 3600)} ${T.unit.hour}`;
}

/** @param {?{latitude: number, longitude: number}} [p] */
export const place = p => (p ? `${p.latitude.toFixed(5)}, ${p.longitude.toFixed(5)}` : '–');

/**
 * The eighth of the circle, from 0, around this angle.
 * @param {number} deg
 */
export const octant = deg => Math.round((((deg % 360) + 360) % 360) / 45) % 8;
