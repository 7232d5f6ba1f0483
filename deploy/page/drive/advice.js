// What is missing and what to do, while nothing is heard.
import { languageChoice } from '../shared/choice.js';
import { startDemo } from '../shared/demo.js';
import { $, button, el, put } from '../shared/dom.js';
import { border } from '../shared/model.js';
import { joining } from '../shared/place.js';
import { data, flight, json, landing, listen, now, position } from '../shared/stream.js';
import { T } from '../shared/texts.js';

/**
 * A line of `/api/diagnosis`.
 * @typedef {{subject: string, ok: boolean, text: string, code: ?string, place: ?string}} Line
 */

/** Milliseconds between two questions to the gateway. */
const interval = 20000;
let askedAt = -Infinity;
let shown = '';

// A newcomer's page: the gateway speaks, but knows of no sonde.
function isNeeded() {
  return !!data.state && border()[0] === 'grey' && !position() && !flight()?.last && !landing();
}

// The page's own words for a finding; if it has none, the gateway's English text.
function words({ code, place, text }) {
  const known = T.diagnosis[code];
  return typeof known === 'function' ? known(place) : (known ?? text);
}

/** @param {Line} line */
const item = line =>
  el('li', {}, el('b', {}, T.named(T.subjects[line.subject] ?? line.subject, '')), words(line));

/**
 * @param {Line[]} lines
 * @param {string | null | undefined} url  With it a phone opens the page; null if other machines can't.
 */
function show(lines, url) {
  const text = JSON.stringify([lines, url]);
  if (text === shown) return;
  shown = text;
  const missing = lines.filter(line => !line.ok);
  $('advice').replaceChildren(
    // The choice of the language comes first, for a person who can not read this one.
    el('div', { class: 'row' }, el('h2', {}, T.adviceTitle), languageChoice()),
    el('p', {}, missing.length ? T.adviceMissing : T.adviceNothing),
    el('ul', {}, ...missing.map(item)),
    ...joining(url),
    button(T.adviceTry, startDemo, { class: 'wide strong', id: 'try' }),
  );
}

async function ask() {
  askedAt = now();
  const [lines, link] = await Promise.all([json('/api/diagnosis'), json('/api/link')]);
  if (lines) show(lines, link?.url);
  draw();
}

function draw() {
  const isShown = isNeeded() && shown !== '';
  $('advice').hidden = !isShown;
  if (!isShown && !isNeeded()) put($('advice'), '');
  if (!isNeeded()) shown = '';
}

/** Asks while it is needed, and shows or hides the advice. */
export function startAdvice() {
  listen(
    () => {
      if (isNeeded() && now() - askedAt > interval) ask();
      draw();
    },
    'tick',
    'state',
  );
}
