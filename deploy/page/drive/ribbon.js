// The ribbon under Drive and Map: altitude against time.
import { $, el } from '../shared/dom.js';
import { landingIn } from '../shared/model.js';
import { chase, data, flight, gatewayTime, landing, prediction, track } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { marginLevel } from './situation.js';
import { timeline } from './timeline.js';
import { whenText } from './words.js';

/** Milliseconds between two drawings: an hour is as wide as the screen. */
const interval = 2000;
/** Pixels that a sign of a label takes, and those around it. */
const signWidth = 7.5;
const labelEdge = 12;
/** Pixels between a mark's middle and the label beside it. */
const besideMark = 12;

/** @typedef {import('./timeline.js').Mark} Mark */

const parse = iso => (iso ? Date.parse(iso) : null);

function times() {
  const isDown = data.state?.phase === 'landed';
  const left = landingIn();
  const now = gatewayTime();
  const observed = flight()?.burst;
  const route = chase()?.route;
  return {
    now,
    flown: /** @type {Array<[number, number]>} */ (track.map(([t, , , altitude]) => [t, altitude])),
    path: /** @type {Array<[number, number]>} */ (
      (prediction()?.path ?? []).map(([t, , , altitude]) => [t, altitude])
    ),
    burstAt: parse(observed?.time ?? prediction()?.burst?.at),
    hasBurst: !!observed,
    landingAt: isDown
      ? parse(flight()?.landed?.time ?? landing()?.landing_at)
      : left == null
        ? null
        : now + left * 1000,
    isDown,
    arrivalAt: route ? now + route.duration_s * 1000 : null,
  };
}

/** A time as a label: of day, or from now while the clock is not set.  @param {number} at */
const timeOf = at =>
  whenText(new Date(at).toISOString()) ??
  (at > gatewayTime()
    ? T.inTime(u.text(u.countdown((at - gatewayTime()) / 1000)))
    : T.ago(u.span(gatewayTime() - at)));

const line = (points, kind) =>
  `<polyline class="${kind}" points="${points.map(([x, y]) => `${x.toFixed(2)},${(100 - y).toFixed(1)}`).join(' ')}"/>`;

const shapes = {
  now: '<circle r="6"/>',
  burst: '<path d="M0-9 2.5-3 8.5-4.5 4.5 0 8.5 4.5 2.5 3 0 9-2.5 3-8.5 4.5-4.5 0-8.5-4.5-2.5-3Z"/>',
  landing: '<path class="halo" d="M-6-6 6 6M6-6-6 6"/><path class="cross" d="M-6-6 6 6M6-6-6 6"/>',
  arrival: '<path d="M9 0C5-3 0-6-8-6.5L-6 0-8 6.5C0 6 5 3 9 0Z"/>',
};

// What is said at each mark, the most important first: the others give way.
function labels(drawn) {
  const { now, landing: land, arrival, burst } = drawn;
  const isDown = data.state?.phase === 'landed';
  const isStraight = chase()?.route?.method === 'straight_line';
  return [
    {
      mark: land,
      text: `${isDown ? T.ribbon.landed : T.ribbon.lands} ${land && timeOf(land.at)}`,
      row: 'low',
    },
    {
      mark: arrival,
      text: `${T.ribbon.you} ${isStraight ? `${T.atBest} ` : ''}${arrival && timeOf(arrival.at)}`,
      row: 'low',
    },
    {
      mark: isDown ? null : now,
      text: `${whenText(new Date(now.at).toISOString()) ?? ''} ${T.now}`.trim(),
      row: 'high',
    },
    { mark: burst, text: `${T.ribbon.burst} ${burst && timeOf(burst.at)}`, row: 'high' },
  ].filter(one => one.mark);
}

/** @param {number} width  Pixels of the ribbon. */
function placed(drawn, width) {
  const taken = { low: [], high: [] };
  return labels(drawn).flatMap(({ mark, text, row }) => {
    const size = text.length * signWidth + labelEdge;
    const at = (mark.x / 100) * width;
    // Those above stand beside their mark, where there is room.
    const beside = at + besideMark + size > width - 4 ? at - besideMark - size : at + besideMark;
    const left = Math.max(4, Math.min(width - size - 4, row === 'high' ? beside : at - size / 2));
    if (taken[row].some(([from, to]) => left < to && left + size > from)) return [];
    taken[row].push([left, left + size]);
    const label = el('span', { class: `label ${row}` }, text);
    label.style.left = `${left.toFixed(0)}px`;
    return [label];
  });
}

function picture(drawn) {
  const box = document.createElement('template');
  const gap =
    drawn.landing && drawn.arrival && data.state?.phase !== 'landed'
      ? `<path class="gap" d="M${drawn.arrival.x.toFixed(2)} 100H${drawn.landing.x.toFixed(2)}"/>`
      : '';
  box.innerHTML =
    `<svg class="plot" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true"><path class="ground" d="M0 100H100"/>` +
    `${gap}${line(drawn.past, 'past')}${line(drawn.next, 'next')}</svg>`;
  return box.content.firstChild;
}

/** @param {string} name  @param {Mark} mark */
function sign(name, mark) {
  const box = document.createElement('template');
  box.innerHTML = `<svg class="at ${name}" viewBox="-11 -11 22 22" aria-hidden="true">${shapes[name]}</svg>`;
  const root = /** @type {any} */ (box.content.firstChild);
  root.style.left = `${mark.x.toFixed(2)}%`;
  root.style.setProperty('--y', (mark.y / 100).toFixed(3));
  return root;
}

/**
 * Makes what draws the ribbon in an element.
 * @param {any} box
 */
export function ribbonIn(box) {
  let drawnAt = -Infinity;
  let width = 0;
  box.setAttribute('role', 'img');
  return () => {
    const now = performance.now();
    if (now - drawnAt < interval && width === box.clientWidth) return;
    const drawn = timeline(times());
    box.hidden = !drawn;
    drawnAt = now;
    width = box.clientWidth;
    if (!drawn) return;
    const route = chase()?.route;
    const level = route && marginLevel(chase()?.margin_s ?? null, route.method === 'straight_line');
    const marks = ['burst', 'arrival', 'landing', 'now'].filter(name => drawn[name]);
    box.dataset.level = level ?? '';
    box.setAttribute('aria-label', [T.ribbon.name, ...labels(drawn).map(one => one.text)].join(', '));
    box.replaceChildren(
      picture(drawn),
      ...marks.map(name => sign(name, drawn[name])),
      ...placed(drawn, width),
    );
  };
}

const drawings = [
  { screen: $('drive'), draw: ribbonIn($('ribbon')) },
  { screen: $('map'), draw: ribbonIn($('flown')) },
];

/** Draws the ribbon under the screen that is shown. */
export function drawRibbon() {
  for (const { screen, draw } of drawings) if (!screen.hidden) draw();
}
