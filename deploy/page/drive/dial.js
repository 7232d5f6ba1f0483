// The dial: where the target is, and no more exactly than that is known. The car's nose is up.
import { $, cls, near } from '../shared/dom.js';
import { dial } from './advice.js';

/** The ring's radius, in the picture's own units. */
const ringRadius = 90;
/** How far from the middle the circle of a landing area may reach. */
const reach = 84;

let turn = 0;
let other = 0;
let course = 0;

/**
 * A point at an angle from the top.
 * @param {number} angle
 * @param {number} radius
 */
const at = (angle, radius) => {
  const radians = (angle * Math.PI) / 180;
  return [Math.sin(radians) * radius, -Math.cos(radians) * radius].map(v => v.toFixed(1)).join(' ');
};

/**
 * An arc around the top, from `-half` to `half` degrees.
 * @param {number} half
 * @param {number} radius
 */
const arc = (half, radius) =>
  `M${at(-half, radius)}A${radius} ${radius} 0 ${half > 90 ? 1 : 0} 1 ${at(half, radius)}`;

/** @param {number} share */
function drawArea(share) {
  // To scale: the farthest point of the circle, or the car itself, is at the picture's edge.
  const scale = reach / Math.max(1 + share, Number.MIN_VALUE);
  const isWhole = Number.isFinite(share);
  $('area').setAttribute('cy', isWhole ? (-scale).toFixed(1) : '0');
  $('area').setAttribute('r', isWhole ? (scale * share).toFixed(1) : String(reach));
}

/** @param {number} half */
function drawSector(half) {
  $('sector').setAttribute('d', `M0 0L${arc(half, ringRadius - 2).slice(1)}Z`);
}

/**
 * @param {import('./advice.js').Word} word
 * @param {import('./situation.js').Facts} facts
 * @param {import('./situation.js').Situation} s
 */
export function drawDial(word, facts, s) {
  const { form, half, share } = dial(word, facts, s);
  turn = near(s.turn ?? turn, turn);
  other = near(s.other ?? other, other);
  const sight = s.sight;
  const north = !sight || s.northUp ? 0 : (sight.bearing_deg ?? 0) - (sight.relative_bearing_deg ?? 0);
  course = near(-north, course);
  $('arrow').dataset.form = form;
  cls($('arrow'), 'north', s.northUp);
  cls($('needle'), 'none', form !== 'needle');
  cls($('area'), 'none', form !== 'area');
  cls($('sector'), 'none', form !== 'sector');
  // Below a degree a rim is a stain.
  const isRim = (form === 'needle' || form === 'sector') && half >= 1;
  cls($('rim'), 'none', !isRim);
  cls($('own'), 'none', form === 'needle' || s.northUp);
  cls($('own-still'), 'none', form === 'needle' || !s.northUp);
  if (form === 'area') drawArea(share);
  if (form === 'sector') drawSector(half);
  if (isRim) $('rim').setAttribute('d', arc(half, ringRadius));
  for (const id of ['needle', 'area', 'sector', 'rim']) $(id).style.transform = `rotate(${turn}deg)`;
  // Landed, the sonde and the landing point are one place.
  cls($('dot'), 'none', s.other == null || word === 'landed');
  $('dot').style.transform = `rotate(${other}deg)`;
  $('rose').style.transform = `rotate(${course}deg)`;
  const [x, y] = at(course, 100).split(' ');
  const letter = $('arrow').querySelector('text');
  letter?.setAttribute('x', x);
  letter?.setAttribute('y', String(+y + 5));
  return { form, half };
}
