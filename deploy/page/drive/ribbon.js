// The ribbon under Drive and Map: altitude against time.
import { $, cls, el } from '../shared/dom.js';
import { landingIn, now as situation } from '../shared/model.js';
import { chase, data, flight, gatewayTime, landing, prediction, track } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import { picture, signs } from './plot.js';
import { marginLevel } from './situation.js';
import { timeline } from './timeline.js';
import { timeText, whenText } from './words.js';

/** Milliseconds between two drawings: an hour is as wide as the screen. */
const interval = 2000;
/** What a sign of a label takes in the height of the letters, and the pixels around them. */
const signWidth = 0.54;
const labelEdge = 12;
/** Pixels between a mark's middle and the label beside it. */
const besideMark = 12;

/** @typedef {import('./timeline.js').Mark} Mark */

const isDown = () => data.state?.phase === 'landed';

/** @param {?string | undefined} iso */
const parse = iso => (iso ? Date.parse(iso) : null);

function times() {
  const isDown = data.state?.phase === 'landed';
  const left = landingIn();
  const now = gatewayTime();
  const observed = flight()?.burst;
  // Whoever is there arrives no more.
  const { isThere, isAround, isSearch } = situation();
  const route = (isDown && isThere) || isAround || isSearch ? null : chase()?.route;
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
    landingOff: isDown ? 0 : (landing()?.landing_error_50_s ?? 0) * 1000,
    isDown,
    arrivalAt: parse(route?.arrival_at) ?? (route ? now + route.duration_s * 1000 : null),
  };
}

/** Seconds that the burst may be off: one that is expected is never exact, and no better known than the landing. */
const burstOff = () => (flight()?.burst ? 0 : Math.max(60, landing()?.landing_error_50_s ?? 0));

/**
 * What is said at each mark, the most important first: the others give way.
 * @param {import('./timeline.js').Timeline} drawn
 */
export function labels(drawn) {
  const { now, landing: land, arrival, burst } = drawn;
  const isDown = data.state?.phase === 'landed';
  const isStraight = chase()?.route?.method === 'straight_line';
  const off = isDown ? 0 : landing()?.landing_error_50_s;
  const all = [
    {
      mark: land,
      text: `${isDown ? T.ribbon.landed : T.ribbon.lands} ${land && timeText(land.at, off)}`,
      row: 'low',
    },
    {
      mark: arrival,
      text: `${T.ribbon.you} ${isStraight ? `${T.atBest} ` : ''}${arrival && timeText(arrival.at)}`,
      row: 'low',
    },
    {
      mark: isDown ? null : now,
      text: `${whenText(new Date(now.at).toISOString()) ?? ''} ${T.now}`.trim(),
      row: 'high',
    },
    {
      mark: burst,
      text: `${T.ribbon.burst} ${burst && timeText(burst.at, burstOff())}`,
      row: 'high',
    },
  ];
  return all.flatMap(({ mark, ...words }) => (mark ? [{ mark, ...words }] : []));
}

/**
 * @param {import('./timeline.js').Timeline} drawn
 * @param {number} width   Pixels of the ribbon.
 * @param {number} letter  Pixels of a letter's height.
 */
function placed(drawn, width, letter) {
  /**
   * From and to, pixels.
   * @type {Record<string, Array<[number, number]>>}
   */
  const taken = { low: [], high: [] };
  return labels(drawn).flatMap(({ mark, text, row }) => {
    const size = text.length * signWidth * letter + labelEdge;
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

/**
 * Makes what draws the ribbon in an element.
 * @param {HTMLElement} box
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
    cls(box, 'burst-seen', !!flight()?.burst);
    box.setAttribute('aria-label', [T.ribbon.name, ...labels(drawn).map(one => one.text)].join(', '));
    box.replaceChildren(
      picture(drawn, isDown() ? null : (level ?? '')),
      ...signs(drawn),
      ...placed(drawn, width, Number.parseFloat(getComputedStyle(box).fontSize)),
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
