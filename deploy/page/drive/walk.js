// The last 200 m on Drive, in the dial's place: the sonde, the car or who carries its GPS, both ways, a scale.
import { $, cls, el } from '../shared/dom.js';
import { facts, now } from '../shared/model.js';
import { chase, flight, landing, position, track } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import { trail } from '../shared/trail.js';
import * as u from '../shared/units.js';
import { plan } from './nearby.js';
import { onFootWithin } from './sentences.js';
import { isGuess } from './situation.js';
import { where } from './words.js';

/** The most points of the sonde's track: its last minutes. */
const mostPoints = 120;

const picture = el('div', { id: 'walk', role: 'img', hidden: true });

/** Makes the picture. */
export function startWalk() {
  $('arrow').after(picture);
}

/** Whether the crew is about to find a sonde that was seen to land. */
export function isOnFoot() {
  const known = facts();
  const s = now();
  return (
    known.phase === 'landed' &&
    !isGuess(known) &&
    s.target === 'sonde' &&
    (s.sight?.distance_m ?? Infinity) <= onFootWithin
  );
}

/** @param {number[][]} points  @param {string} name */
const line = (points, name) =>
  points.length < 2
    ? ''
    : `<polyline class="${name}" points="${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')}"/>`;

const shapes = {
  sonde:
    '<g class="hit"><circle class="halo" r="17"/><circle class="ring" r="17"/>' +
    '<path class="halo" d="M-13-13-8-8M13-13 8-8M-13 13-8 8M13 13 8 8"/>' +
    '<path class="ring" d="M-13-13-8-8M13-13 8-8M-13 13-8 8M13 13 8 8"/><circle class="dot" r="6"/></g>',
  nose: '<path d="M0-25C4-16 10-2 11 13 11 16 8 17 6 15L0 11-6 15C-8 17-11 16-11 13-10-2-4-16 0-25Z"/>',
  still: '<circle r="10"/>',
};

/** @param {import('./nearby.js').Plan} drawn  @param {number} width  @param {number} height */
function drawing(drawn, width, height) {
  const rings = drawn.rings.map(metres => {
    const r = (metres * drawn.pixel).toFixed(1);
    return `<circle class="range" r="${r}"/><text y="${(-r - 4).toFixed(1)}">${u.text(u.distance(metres))}</text>`;
  });
  const [x, y] = drawn.car.map(v => v.toFixed(1));
  const course = chase()?.car.course_deg;
  const turn = u.known(course) ? ` rotate(${course.toFixed(0)})` : '';
  const length = drawn.bar * drawn.pixel;
  const [left, bottom] = [10 - width / 2, height / 2 - 12];
  return (
    `<svg viewBox="${-width / 2} ${-height / 2} ${width} ${height}" aria-hidden="true">${rings.join('')}` +
    `${line(drawn.track, 'under')}${line(drawn.track, 'track')}${line(drawn.trail, 'trail')}${shapes.sonde}` +
    `<g class="own" transform="translate(${x} ${y})${turn}">${turn ? shapes.nose : shapes.still}</g>` +
    `<path class="scale" d="M${left} ${bottom - 7}v7h${length.toFixed(1)}v-7"/>` +
    `<text x="${(left + length / 2).toFixed(1)}" y="${bottom - 9}">${u.text(u.distance(drawn.bar))}</text>` +
    `<text class="north" x="${width / 2 - 18}" y="${20 - height / 2}">${T.north} ↑</text></svg>`
  );
}

/** Draws the picture while it is needed. */
export function drawWalk() {
  const isNeeded = !$('drive').hidden && isOnFoot();
  cls($('drive'), 'walking', isNeeded);
  picture.hidden = !isNeeded;
  const sonde = flight()?.landed ?? position() ?? landing();
  const car = chase()?.car;
  if (!isNeeded || !sonde || !car) return;
  const { clientWidth: width, clientHeight: height } = picture;
  const known = {
    sonde,
    car,
    trail,
    track: track.slice(-mostPoints).map(([, latitude, longitude]) => ({ latitude, longitude })),
  };
  picture.innerHTML = drawing(plan(known, Math.min(width, height)), width, height);
  picture.setAttribute(
    'aria-label',
    u.joined(T.toSonde, u.text(u.distance(now().sight?.distance_m)), where(now())),
  );
}
