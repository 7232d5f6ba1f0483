// The values of the board's stream, and their ages by the board's clock.
import { now } from '../shared/clock.js';
import { useUnits } from '../shared/units.js';

// Without a prototype: an id or a serial can be any word.
/** @type {Record<string, Board.Car>} By id. */
export const cars = Object.create(null);
/** @type {Record<string, Board.Sonde>} By serial. */
export const sondes = Object.create(null);
/** @type {Record<string, Board.Lines>} Tracks and predicted paths by serial. */
export const lines = Object.create(null);

/** Without a sign of life for so many milliseconds the connection is lost. */
const limit = 6000;

/** @type {Board.Alive | undefined} */
let alive;
let aliveAt = 0;
let heardAt = now();
let openedAt = 0;
/** @type {EventSource} */
let source;

export const silence = () => now() - heardAt;
export const isLost = () => silence() > limit;
export const hasBroker = () => alive?.broker !== false;
export const mayCommand = () => alive?.commands === true;
/** Milliseconds since 1970. */
export const boardTime = () => (alive ? Date.parse(alive.at) + now() - aliveAt : Number.NaN);
/**
 * Milliseconds since a time; NaN if there is none.
 * @param {?string | undefined} text
 */
export const age = text => (text ? Math.max(0, boardTime() - Date.parse(text)) : Number.NaN);
/**
 * Whether a time is longer ago, or unknown.
 * @param {?string | undefined} text
 * @param {number} milliseconds
 */
export const isOld = (text, milliseconds) => !(age(text) < milliseconds);
/**
 * Seconds until a time; NaN if there is none.
 * @param {?string | undefined} text
 */
export const until = text => (text ? (Date.parse(text) - boardTime()) / 1000 : Number.NaN);

/** @param {Record<string, unknown>} all  @param {string[] | undefined} keys */
function drop(all, keys) {
  for (const key of keys ?? []) delete all[key];
}

/** What each event's value does.  */
const takers = {
  /** @param {Board.Alive} told */
  alive(told) {
    alive = told;
    aliveAt = now();
    useUnits(told.units);
  },
  /** @param {Board.Car[]} told */
  cars(told) {
    for (const car of told) cars[car.id] = car;
  },
  /** @param {Board.Sonde[]} told */
  sondes(told) {
    for (const sonde of told) sondes[sonde.serial] = sonde;
  },
  /** @param {Board.Lines[]} told */
  lines(told) {
    for (const one of told) lines[one.serial] = one;
  },
  /** @param {Board.Gone} told */
  gone(told) {
    if (told.all) for (const all of [cars, sondes, lines]) drop(all, Object.keys(all));
    drop(cars, told.cars);
    for (const all of [sondes, lines]) drop(all, told.sondes);
  },
};

/** @param {() => void} changed */
function open(changed) {
  source?.close();
  openedAt = now();
  source = new EventSource('api/events');
  for (const [name, take] of Object.entries(takers)) {
    source.addEventListener(name, event => {
      heardAt = now();
      take(JSON.parse(event.data));
      changed();
    });
  }
}

/** @param {() => void} changed  called after each event, and once a second */
export function start(changed) {
  open(changed);
  document.addEventListener('visibilitychange', () => (document.hidden ? source.close() : open(changed)));
  setInterval(() => {
    if (isLost() && now() - openedAt > limit && !document.hidden) open(changed);
    changed();
  }, 1000);
}
