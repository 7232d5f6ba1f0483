// What is missing and what to do, while nothing is heard.
import { signal } from '../hunt/heard.js';
import { askSetup, openSetup } from '../setup/setup.js';
import { languageChoice } from '../shared/choice.js';
import { startDemo } from '../shared/demo.js';
import { isMet, words } from '../shared/diagnosis.js';
import { $, button, dialog, el, put } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { iconOf } from '../shared/missing.js';
import { border } from '../shared/model.js';
import { joining } from '../shared/place.js';
import { data, flight, json, landing, listen, now, position } from '../shared/stream.js';
import { T } from '../shared/texts.js';

/** @typedef {import('../shared/diagnosis.js').Line} Line */

/** Milliseconds between two questions to the gateway. */
const interval = 20000;
let askedAt = -Infinity;
let shown = '';

// A newcomer's page: the gateway speaks, but knows of no sonde. One that says no place is heard all the same.
function isNeeded() {
  const isKnown = position() || flight()?.last || landing() || signal();
  return !!data.state && border()[0] === 'grey' && !isKnown;
}

/** @param {Line} line */
const item = line =>
  el(
    'li',
    {},
    el('span', { class: iconOf(line.code) === 'bad' ? 'bad' : 'dim' }, icon(iconOf(line.code))),
    el('span', {}, el('b', {}, T.subjects[line.subject] ?? line.subject), words(line)),
  );

/**
 * @param {Line[]} lines
 * @param {?{url: ?string, name?: ?string}} [link]  With it a phone opens the page.
 */
function show(lines, link) {
  const text = JSON.stringify([lines, lines.map(words), link, setup?.words]);
  if (text === shown) return;
  shown = text;
  const missing = lines.filter(line => !isMet(line));
  const begin = el(
    'div',
    { class: 'card lead' },
    // The choice of the language comes first, for a person who can not read this one.
    el('div', { class: 'row' }, el('h2', {}, T.adviceTitle), languageChoice()),
    button(T.adviceTry, startDemo, { class: 'wide strong', id: 'try' }),
    ...(setup?.words
      ? [button(setup.words.heading, () => openSetup(), { class: 'wide', id: 'go-setup' })]
      : []),
  );
  const checks = el(
    'div',
    { class: 'card' },
    el('h2', {}, missing.length ? T.adviceMissing : T.adviceNothing),
    el('ul', {}, ...missing.map(item)),
  );
  const others = el('div', { class: 'card' }, ...joining(link));
  $('newcomer').replaceChildren(
    el('div', { class: 'columns' }, el('div', {}, begin, others), el('div', {}, checks)),
  );
}

/**
 * What setup asks; nothing for a simulated flight.
 * @type {import('../setup/setup.js').Told | undefined}
 */
let setup;

// Whoever opens a gateway that nobody has configured yet gets the questions at once, after the first look.
async function askForSetup() {
  const isFirstLook = !setup;
  setup = (await askSetup()) ?? setup;
  if (isFirstLook && setup?.open && setup.first && !dialog()) openSetup(setup);
}

async function ask() {
  askedAt = now();
  const [lines, link] = await Promise.all([json('api/diagnosis'), json('api/link'), askForSetup()]);
  if (lines) show(lines, link);
  draw();
}

function draw() {
  const isShown = isNeeded() && shown !== '';
  $('newcomer').hidden = !isShown;
  if (!isShown && !isNeeded()) put($('newcomer'), '');
  if (!isNeeded()) shown = '';
}

/** Asks while it is needed, and shows or hides the advice. */
export function startNewcomer() {
  listen(
    () => {
      if (isNeeded() && now() - askedAt > interval) ask();
      draw();
    },
    'tick',
    'state',
  );
}
