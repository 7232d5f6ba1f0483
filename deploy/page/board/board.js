// A fleet's board: every car, and every sonde once.
import { reason } from '../shared/answer.js';
import { $, ask, body, button, cls, el, put, sheet, toast } from '../shared/dom.js';
import { language, T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { drawChart, recolour, show, startChart } from './chart.js';
import { carRows, reachText, sondeCard } from './rows.js';
import { cars, hasBroker, isLost, silence, sondes, start } from './stream.js';
import { B } from './texts.js';

/** @type {?number} */
let due = null;

/** @param {object} all  @returns {string[]} */
const sorted = all => Object.keys(all).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

/** @param {string} car  Its id.  @param {string} serial */
async function hunt(car, serial) {
  if (!(await ask(B.sure({ car, sonde: serial })))) return;
  toast(B.asked({ car, sonde: serial }));
  try {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch('api/command', {
      method: 'POST',
      headers,
      body: JSON.stringify({ car, hunt: serial }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    const error = JSON.parse(text).error;
    toast(error ? B.refused(reason(error, T, language)) : B.hunts({ car, sonde: serial }));
  } catch (error) {
    toast(B.refused(/** @type {Error} */ (error).message));
  }
}

/**
 * Asks which car to send to a sonde.
 * @param {string} serial
 */
function choose(serial) {
  const acts = sorted(cars).map(id => {
    const act = () => {
      opened.close();
      hunt(id, serial);
    };
    const { serial: hunted } = cars[id];
    const task = hunted === serial ? B.already : hunted && B.hunting(hunted);
    return button(u.joined(B.send(id), reachText(cars[id]), task), act, { class: 'wide' });
  });
  const opened = sheet(`${B.sendCar} · ${serial}`, ...acts);
}

/**
 * Replaces what is in an element; a button in it keeps the focus.
 * @param {HTMLElement} where
 * @param {Node[]} nodes
 */
function fill(where, nodes) {
  const focused = where.contains(document.activeElement) && document.activeElement?.closest('[id]')?.id;
  where.replaceChildren(...nodes);
  if (focused) document.getElementById(focused)?.querySelector('button')?.focus();
}

/** What is wrong with the board itself. */
function wrongText() {
  if (isLost()) return B.lostFor(u.span(silence()));
  return hasBroker() ? '' : B.noBroker;
}

/** The board in one line: how many sondes and cars, and what is wrong. */
function drawSummary() {
  const all = Object.values(cars);
  const away = all.filter(car => reachText(car)).map(car => car.id);
  /** @param {string} words  @param {number} number */
  const count = (words, number) => el('span', {}, `${words} `, el('b', {}, String(number)));
  const parts = [
    el('h1', {}, B.title),
    count(B.sondes, Object.keys(sondes).length),
    count(B.cars, all.length),
    ...(away.length ? [el('span', { class: 'dim' }, `${B.reach.silent}: ${away.join(', ')}`)] : []),
  ];
  const key = parts.map(part => part.textContent).join('|');
  if ($('summary').dataset.key === key) return;
  $('summary').dataset.key = key;
  $('summary').replaceChildren(...parts);
}

function draw() {
  due = null;
  drawSummary();
  put($('lost'), wrongText());
  cls(body, 'lost', isLost() || !hasBroker());
  put($('nosondes'), Object.keys(sondes).length ? '' : B.noSondes);
  put($('nocars'), Object.keys(cars).length ? '' : B.noCars);
  fill(
    $('sondes'),
    sorted(sondes).map(serial => sondeCard(sondes[serial], choose)),
  );
  fill(
    $('cars'),
    sorted(cars).flatMap(id => carRows(cars[id], show)),
  );
  drawChart();
}

const dark = matchMedia('(prefers-color-scheme: dark)');

// A board stands in a room: the computer's setting chooses day or night, not the sun.
function drawColours() {
  cls(body, 'night', dark.matches);
  recolour();
}

document.title = B.title;
$('fleet').setAttribute('aria-label', B.map);
$('flights').setAttribute('aria-label', B.sondes);
$('crews').setAttribute('aria-label', B.cars);
put($('sondes-title'), B.sondes);
put($('cars-title'), B.cars);
$('head').append(el('tr', {}, ...B.heads.map((/** @type {string} */ text) => el('th', {}, text))));
startChart();
drawColours();
dark.addEventListener('change', drawColours);
start(() => {
  if (!due) due = requestAnimationFrame(draw);
});
