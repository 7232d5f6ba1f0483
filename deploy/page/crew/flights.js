// The recorded flights: on the map, as charts, as files.
import { button, el, put } from '../shared/dom.js';
import { json } from '../shared/stream.js';
import { locale, T } from '../shared/texts.js';
import { townOf } from '../shared/towns.js';
import * as u from '../shared/units.js';

const formats = ['gpx', 'kml', 'csv', 'geojson'];
const mostFlights = 50;

/**
 * A recorded flight, as `/api/flights` has it.
 * @typedef {object} Flight
 * @property {string} serial
 * @property {?string} sonde_type
 * @property {?string} first_at
 * @property {?number} highest_m
 * @property {?Placed} landing
 * @property {?Placed} predicted_landing
 * @property {?Placed} last
 *
 * @typedef {{replay: (serial: string) => void, chart: (serial: string) => void}} Acts
 */

/** The list. */
export const list = el('ul', { class: 'flights', 'aria-label': T.flights });

/**
 * Write the words of each flight.
 * @type {Array<() => void>}
 */
let drawings = [];

/** Draws the words of all flights. */
export function drawFlights() {
  for (const draw of drawings) draw();
}

/**
 * The day of a flight, or a dash.
 * @param {?string} [iso]
 */
export const day = iso => (iso ? new Date(iso).toLocaleDateString(locale, { dateStyle: 'medium' }) : '–');

/**
 * A flight in words: when, which sonde, how high, and where it came down.
 * @param {Flight} flight
 */
export function flightWords(flight) {
  const place = flight.landing ?? flight.predicted_landing ?? flight.last;
  return u.joined(
    day(flight.first_at),
    flight.serial,
    flight.sonde_type,
    u.text(u.height(flight.highest_m)),
    townOf(place) ?? u.place(place),
  );
}

/**
 * A flight as files.
 * @param {Flight} flight
 */
export const fileLinks = ({ serial }) =>
  formats.map(format => {
    const href = `flights/${encodeURIComponent(serial)}.${format}`;
    return el('a', { href, download: true, 'aria-label': `${serial} ${format}` }, format);
  });

/**
 * The recorded flights, the newest first.
 * @returns {Promise<Flight[]>}
 */
export const recorded = async () => (await json('api/flights'))?.flights ?? [];

/**
 * @param {Flight} flight
 * @param {Acts} acts
 */
function item(flight, acts) {
  const words = el('span');
  // The towns come later.
  drawings.push(() => put(words, flightWords(flight)));
  /** @param {string} word  @param {(serial: string) => void} does */
  const act = (word, does) =>
    button(word, () => does(flight.serial), { 'aria-label': T.named({ name: word, value: flight.serial }) });
  const buttons = [act(T.replay, acts.replay), act(T.chart, acts.chart)];
  return el('li', {}, words, el('div', { class: 'row' }, ...buttons, el('span', {}, ...fileLinks(flight))));
}

/**
 * Asks for the flights.
 * @param {Acts} acts
 */
export async function listFlights(acts) {
  const flights = (await recorded()).slice(0, mostFlights);
  drawings = [];
  list.replaceChildren(
    ...(flights.length ? flights.map(one => item(one, acts)) : [el('li', {}, T.noFlights)]),
  );
  drawFlights();
}
