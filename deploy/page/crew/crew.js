// The crew's screen: events, what others report, charts, recorded flights.
import { $, el } from '../shared/dom.js';
import { loadOwnStyle } from '../shared/load.js';
import { T } from '../shared/texts.js';
import { sections } from './around.js';
import { charts, drawCharts, refreshCharts, startCharts } from './charts.js';
import { coverage } from './coverage.js';
import { drawEvents, list as events, startEvents } from './events.js';
import { drawFlights, list as flights, listFlights } from './flights.js';
import { logbook } from './logbook.js';

let charted = 'current';
/** @type {(serial: string) => void} */
let replay = () => {};

/** @type {import('./flights.js').Acts} */
const acts = {
  replay: serial => replay(serial),
  chart(serial) {
    charted = serial;
    drawCharts(serial).then(() => charts.scrollIntoView());
  },
};

/**
 * Makes the screen.
 * @param {(serial: string) => void} onReplay  Shows a flight on the map.
 */
export function startCrew(onReplay) {
  replay = onReplay;
  loadOwnStyle('style/records.css');
  startEvents();
  startCharts();
  /** @param {string} title  @param {Node} content */
  const part = (title, content) => el('div', { class: 'card' }, el('h2', {}, title), content);
  const left = el('div', {}, ...sections.map(one => one.root), part(T.events, events), coverage.root);
  const right = el('div', {}, part(T.chartsTitle, charts), logbook.root, part(T.flights, flights));
  $('crew').append(el('div', { class: 'columns' }, left, right));
}

/** Asks for flights, and for charts of the one in hand, when the screen is opened. */
export function shownCrew() {
  charted = 'current';
  listFlights(acts);
  drawCharts(charted);
}

/** Draws the screen if it is shown. */
export function drawCrew() {
  if ($('crew').hidden) return;
  drawEvents();
  for (const part of sections) part.draw();
  drawFlights();
  logbook.draw();
  coverage.draw();
  refreshCharts(charted);
}
