// The screen of the receiver: tuning, signal, connections, state, settings.
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

const state = table(['state', 'reason', 'search', 'sondehub', 'version']);
const phone = el('div', { id: 'phone' });

/** Asks for the page's link when the screen is opened. */
export async function shownReceiver() {
  const link = await json('api/link');
  if (link) phone.replaceChildren(...joining(link));
}

/** Makes the screen. */
export function startReceiver() {
  const mine = (...children) => el('div', { class: 'mine' }, ...children);
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
