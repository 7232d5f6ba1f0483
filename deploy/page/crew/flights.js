// The recorded flights: on the map, as charts, as files.
import { button, el, put } from '../shared/dom.js';
import { json } from '../shared/stream.js';
import { locale, T } from '../shared/texts.js';
import { townOf } from '../shared/towns.js';
import * as u from '../shared/units.js';

const formats = ['gpx', 'kml', 'csv', 'geojson'];
const mostFlights = 50;

/** The list. */
export const list = el('ul', { class: 'flights', 'aria-label': T.flights });

/** Write the words of each flight.  @type {Array<() => void>} */
let drawings = [];

/** Draws the words of all flights. */
export function drawFlights() {
  for (const draw of drawings) draw();
}

const day = iso => (iso ? new Date(iso).toLocaleDateString(locale, { dateStyle: 'medium' }) : '–');

/**
 * @param {any} flight
 * @param {{replay: (serial: string) => void, chart: (serial: string) => void}} acts
 */
function item(flight, acts) {
  const place = flight.landing ?? flight.predicted_landing ?? flight.last;
  const file = format => `flights/${encodeURIComponent(flight.serial)}.${format}`;
  const links = formats.map(format =>
    el('a', { href: file(format), download: true, 'aria-label': `${flight.serial} ${format}` }, format),
  );
  const words = el('span');
  // The towns come later.
  drawings.push(() =>
    put(
      words,
      u.joined(
        day(flight.first_at),
        flight.serial,
        flight.sonde_type,
        u.text(u.height(flight.highest_m)),
        townOf(place) ?? u.place(place),
      ),
    ),
  );
  return el(
    'li',
    {},
    words,
    el(
      'div',
      { class: 'row' },
      button(T.replay, () => acts.replay(flight.serial), {
        'aria-label': T.named({ name: T.replay, value: flight.serial }),
      }),
      button(T.chart, () => acts.chart(flight.serial), {
        'aria-label': T.named({ name: T.chart, value: flight.serial }),
      }),
      el('span', {}, ...links),
    ),
  );
}

/** Asks for the flights. */
export async function listFlights(acts) {
  const answer = await json('api/flights');
  const flights = (answer?.flights ?? []).slice(0, mostFlights);
  drawings = [];
  list.replaceChildren(
    ...(flights.length ? flights.map(one => item(one, acts)) : [el('li', {}, T.noFlights)]),
  );
  drawFlights();
}
