// The logbook: what became of each flight, and of the crew's drive to it.
import { whenText } from '../drive/words.js';
import { el, put } from '../shared/dom.js';
import { T } from '../shared/texts.js';
import { townOf } from '../shared/towns.js';
import * as u from '../shared/units.js';
import { day } from './flights.js';
import { record } from './record.js';

/**
 * A place on the flight, and when the sonde was there.
 * @typedef {{latitude: number, longitude: number, altitude_m: number, time: ?string}} Mark
 */

/**
 * A flight as the gateway tells it. What nobody knows is null.
 * @typedef {object} Logged
 * @property {string} serial
 * @property {?string} [sonde_type]
 * @property {string} first_at
 * @property {?Mark} [last]
 * @property {?number} [highest_m]
 * @property {?Mark} [launch]
 * @property {?Mark} [burst]
 * @property {?Mark} [landing]
 * @property {?{from: string, to: ?string, driven_m: number}} [drive]  The car's way.
 * @property {?string} [arrived_at]  When the car was first at the place.
 * @property {?{firmware: ?string, restarts: number, losses: number}} [receiver]
 * @property {?string} [recovery]    The state, and who reported it: "recovered HB9XYZ".
 * @property {?string} [note]
 */

/** @param {?Mark} [mark] */
const markText = mark =>
  mark && u.joined(whenText(mark.time), u.text(u.height(mark.altitude_m)), townOf(mark) ?? u.place(mark));

/** @param {Logged['drive']} [drive] */
const driveText = drive =>
  drive &&
  u.joined(
    u.text(u.distance(drive.driven_m)),
    [whenText(drive.from), whenText(drive.to)].filter(Boolean).join('\u202f–\u202f'),
  );

/**
 * What happened to the receiver: its firmware, and what went wrong.
 * @param {Logged['receiver']} [receiver]
 */
const receiverText = receiver =>
  receiver &&
  u.joined(
    receiver.firmware,
    receiver.restarts ? T.log.restarts(receiver.restarts) : null,
    receiver.losses ? T.log.losses(receiver.losses) : null,
  );

/**
 * The state of a recovery, in words.
 * @param {?string} [recovery]
 */
function stateOf(recovery) {
  const state = (recovery ?? '').split(' ')[0];
  return T.recoveries[state] ?? state;
}

/** @param {?string} [recovery] */
const recoveryText = recovery =>
  recovery && u.joined(stateOf(recovery), recovery.split(' ').slice(1).join(' '));

/**
 * What is known of a flight: a name and its value each.
 * @param {Logged} flight
 * @returns {Array<[string, string]>}
 */
export function lines(flight) {
  /** @type {Array<[string, ?string | undefined]>} */
  const all = [
    [T.log.launch, markText(flight.launch)],
    [T.layerNames.burst, markText(flight.burst)],
    [T.landsAt, markText(flight.landing)],
    [T.log.last, flight.landing ? null : markText(flight.last)],
    [T.highest, u.known(flight.highest_m) ? u.text(u.height(flight.highest_m)) : null],
    [T.log.drive, driveText(flight.drive)],
    [T.log.arrived, whenText(flight.arrived_at)],
    [T.receiver, receiverText(flight.receiver)],
    [T.recovery, recoveryText(flight.recovery)],
    [T.note, flight.note],
  ];
  return all.flatMap(([name, text]) => (text ? [/** @type {[string, string]} */ ([name, text])] : []));
}

/**
 * A flight in a line.
 * @param {Logged} flight
 */
export const headline = flight =>
  u.joined(
    day(flight.first_at),
    flight.serial,
    flight.sonde_type,
    townOf(flight.landing ?? flight.last),
    stateOf(flight.recovery),
  );

/**
 * Write the words of each flight anew, because the towns come later.
 * @type {Array<() => void>}
 */
let drawings = [];

/** The flights that are open, by serial and begin: they stay open when the gateway tells more. */
const opened = new Set();

/** @param {Logged} flight */
function item(flight) {
  const key = flight.serial + flight.first_at;
  const head = el('summary');
  const body = el('tbody');
  const root = el('details', { open: opened.has(key) }, head, el('table', {}, body));
  root.ontoggle = () => (root.open ? opened.add(key) : opened.delete(key));
  let shown = '';
  drawings.push(() => {
    put(head, headline(flight));
    const all = lines(flight);
    if (shown === JSON.stringify(all)) return;
    shown = JSON.stringify(all);
    const row = (/** @type {[string, string]} */ [name, text]) =>
      el('tr', {}, el('th', { scope: 'row' }, name), el('td', {}, text));
    body.replaceChildren(...all.map(row));
  });
  return el('li', {}, root);
}

/**
 * What the card shows.
 * @param {{flights?: Logged[], damaged?: boolean}} answer  `damaged`: the gateway could not read all.
 */
function content({ flights = [], damaged = false }) {
  drawings = [];
  const note = damaged ? [el('p', { role: 'status' }, T.log.damaged)] : [];
  if (!flights.length) return [...note, el('p', {}, T.noFlights)];
  const list = el('ul', { class: 'logged' }, ...flights.map(item));
  for (const draw of drawings) draw();
  return [...note, list];
}

const card = record(T.log.title, 'api/logbook', content);

/** The card. */
export const logbook = {
  root: card.root,
  draw() {
    card.draw();
    if (card.root.open) for (const draw of drawings) draw();
  },
};
