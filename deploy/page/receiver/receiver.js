// The screen of the receiver: tuning, signal, connections, state, flights, settings.
import { fileLinks, flightWords, recorded } from '../crew/flights.js';
import { onAsked } from '../shared/command.js';
import { $, el } from '../shared/dom.js';
import { joining } from '../shared/place.js';
import { json } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import { connections, drawConnections } from './connections.js';
import { drawOptions, options } from './options.js';
import { table } from './rows.js';
import { drawSettings, listSettings, read, settings } from './settings.js';
import { drawSignal, signal } from './signal.js';
import { controls, drawTuning } from './tuning.js';

/** How many of the recorded flights stand here; Crew has them all. */
const mostFlights = 5;

const state = table('state reason search sondehub store spool clock version'.split(' '));
const flights = el('ul', { class: 'flights' });
const phone = el('div', { id: 'phone' });

/** Asks for the page's link and the recorded flights when the screen is opened. */
export async function shownReceiver() {
  const link = await json('api/link');
  if (link) phone.replaceChildren(...joining(link));
  const newest = (await recorded()).slice(0, mostFlights);
  /** @param {import('../crew/flights.js').Flight} flight */
  const entry = flight => el('li', {}, flightWords(flight), el('span', {}, ...fileLinks(flight)));
  const none = el('li', {}, T.noFlights);
  flights.replaceChildren(...(newest.length ? newest.map(entry) : [none]));
}

/** Makes the screen. */
export function startReceiver() {
  /** @param {...(string|Node)} children */
  const mine = (...children) => el('div', { class: 'mine' }, ...children);
  /** @param {string} title  @param {...(string|Node)} children */
  const part = (title, ...children) => el('div', { class: 'card' }, el('h2', {}, title), ...children);
  const left = el(
    'div',
    {},
    el('p', { class: 'unable card' }, T.readOnly),
    el('div', { class: 'card lead' }, ...controls),
    part(T.settings, settings, mine(read)),
    mine(part(T.options, options)),
  );
  const right = el(
    'div',
    {},
    part(T.signal, signal),
    part(T.connections, connections),
    part(T.state, state.root),
    part(T.flights, flights, el('a', { href: '#crew', class: 'button' }, T.crew)),
    el('div', { class: 'card' }, phone),
  );
  $('receiver').append(el('div', { class: 'columns' }, left, right));
  listSettings();
  onAsked(drawReceiver);
}

/** Draws the screen if it is shown. */
export function drawReceiver() {
  if ($('receiver').hidden) return;
  state.draw();
  drawTuning();
  drawOptions();
  drawSignal();
  drawConnections();
  drawSettings();
}
