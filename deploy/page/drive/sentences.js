// The advice in words: two to four words for a glance, and one line that says why.
import { signal as heard } from '../hunt/heard.js';
import { chase, data, flight, gatewayTime, landing } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { capital, direction, landedText, nearLanding, whenText } from './words.js';

/**
 * @typedef {import('./advice.js').Word} Word
 * @typedef {import('./situation.js').Situation} Situation
 * @typedef {{icon: string, tone: 'plain'|'go'|'down', heading: string, why: ?string}} Sentence
 */

/** Bearings from which a place follows. */
const leastBearings = 3;

/** Metres to a sonde on the ground within which nobody drives any more. */
export const onFootWithin = 200;

/** @param {Situation} s */
const isOnFoot = s => (s.sight?.distance_m ?? Infinity) <= onFootWithin;

/** "3.9 km by road, there at 14:28"; nothing without a road. */
function byRoad() {
  const route = chase()?.route;
  if (!route || route.method === 'straight_line') return null;
  return u.joined(
    T.byRoad(u.text(u.distance(route.distance_m))),
    T.thereIn(whenText(route.arrival_at) ?? T.inTime(u.text(u.countdown(route.duration_s)))),
  );
}

const radius = () => landing()?.error_radius_50_m;
const around = () => (u.known(radius()) ? `± ${u.text(u.radius(radius()))}` : null);
const near = () => nearLanding(landing());
/** Degrees above the horizon: below it is nothing to look for. */
const elevation = () => chase()?.sonde?.elevation_deg ?? 0;

/** @param {'wait'|'area'} word  @param {Situation} s  @returns {Sentence} */
const waiting = (word, s) => ({
  icon: 'wait',
  tone: 'plain',
  heading: T.advices[word],
  why: T.reasonsWhy[word === 'wait' && s.isAround ? 'middle' : word](u.text(u.radius(radius()))),
});

/** How long its signal can still be heard, or since when it can't: nothing where nobody knows. */
function signal() {
  const { transmits_until_at: end, transmits_basis: basis } = flight() ?? {};
  const isOver = Date.parse(end ?? '') < gatewayTime();
  const words = basis === 'type' ? !isOver && T.heardAtLeast : isOver ? T.switchedOff : T.heardUntil;
  return end && words && whenText(end) ? words(whenText(end)) : null;
}

/** What a crew does that hears a sonde and knows no place: by how the signal changes, else by what is missing. */
function hunting() {
  const { trend } = heard() ?? {};
  const missing = leastBearings - (data.bearings?.bearings?.length ?? 0);
  if (trend && trend !== 'steady') return T.signals.why[trend];
  return missing > 0 ? T.signals.why.bearings(missing) : T.signals.why.more;
}

/** @type {Record<Word, (s: Situation) => Sentence>} */
const sentences = {
  nothing: () => ({ icon: 'silent', tone: 'plain', heading: T.nothing, why: null }),
  signal: () => ({ icon: 'receiver', tone: 'plain', heading: T.advices.signal, why: hunting() }),
  noCar: () => ({ icon: 'car', tone: 'plain', heading: T.advices.noCar, why: T.reasonsWhy.noCar }),
  landed: s => ({
    icon: 'flag',
    tone: 'down',
    heading: `${T.advices.landed} ${landedText()}`.trim(),
    why:
      u.joined(near(), s.isThere ? T.there : isOnFoot(s) ? T.onFoot : byRoad(), signal()) ||
      T.reasonsWhy.landed,
  }),
  guess: s => ({
    icon: 'flag',
    tone: 'plain',
    heading: `${capital(T.probablyLanded)} ${landedText()}`.trim(),
    why: s.isSearch ? T.reasonsWhy.search : u.joined(near(), around(), signal(), T.reasonsWhy.guess),
  }),
  silent: s => ({
    icon: 'silent',
    tone: 'plain',
    heading: T.advices.silent,
    why: s.isAround || s.isSearch ? T.reasonsWhy.search : landing() ? T.reasonsWhy.silent : null,
  }),
  look: s => ({
    icon: 'up',
    tone: 'go',
    heading: T.advices.look,
    why: u.joined(direction(s.sight), elevation() > 0 && T.elevation(Math.round(elevation()))),
  }),
  noPoint: () => ({ icon: 'wait', tone: 'plain', heading: T.advices.noPoint, why: T.reasonsWhy.noPoint }),
  wait: s => waiting('wait', s),
  area: s => waiting('area', s),
  towards: s => ({
    icon: 'towards',
    tone: 'go',
    heading: T.advices.towards(landing()?.towards?.name ?? T.winds[u.octant(s.sight?.bearing_deg ?? 0)]),
    why: u.joined(near(), byRoad()) || T.reasonsWhy.towards,
  }),
  go: () => {
    const name = landing()?.near?.name;
    const why = u.joined(near(), byRoad()) || T.reasonsWhy.go;
    return { icon: 'go', tone: 'go', heading: name ? T.advices.goTo(name) : T.advices.go, why };
  },
};

/**
 * @param {Word} word
 * @param {Situation} situation
 * @returns {Sentence}
 */
export const sentence = (word, situation) => sentences[word](situation);
