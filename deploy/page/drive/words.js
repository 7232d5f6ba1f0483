// The words and figures of Drive.
import { border, facts, hunt, phaseWord } from '../shared/model.js';
import {
  age,
  chase,
  data,
  flight,
  gatewayTime,
  heard,
  isSynced,
  landing,
  position,
  radio,
} from '../shared/stream.js';
import { locale, T, textBy } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { marginLevel } from './situation.js';

/**
 * @typedef {import('./situation.js').Situation} Situation
 * @typedef {import('./situation.js').Line} Line
 */

/**
 * The direction by the car's nose, or by the compass if its course is unknown; null if it is unknown.
 * @param {?import('./situation.js').Sight} [sight]
 */
export function direction(sight) {
  const { relative_bearing_deg: turn, bearing_deg: bearing } = sight ?? {};
  if (u.known(turn)) return T.turns[u.octant(turn)];
  return u.known(bearing) ? T.winds[u.octant(bearing)] : null;
}

/**
 * The direction to the target, or that the car is there or near; null if it is unknown.
 * @param {Situation} situation
 */
export function where(situation) {
  if (situation.isThere) return T.there;
  if (situation.isAround) return T.around;
  return situation.isSearch ? T.searchHere : direction(situation.sight);
}

/**
 * How early or late the car is, by a word: "29 min early", "≈ 2 h 15 late"; no more exactly than the landing is known.
 * @param {?number} [seconds]
 * @param {?number} [off]   Seconds that the landing may be off.
 * @param {?number} [left]  Seconds to the landing, which is said beside it.
 * @returns {u.Figure}
 */
export function marginText(seconds, off, left) {
  if (!u.known(seconds)) return u.none;
  const figure = u.slack(seconds, off, left);
  const word = seconds < 0 ? T.late : T.early;
  // A number comes first, then numbers and words in turn.
  return figure.length % 2 ? [...figure, word] : [...figure.slice(0, -1), `${figure.at(-1)} ${word}`];
}

/**
 * The least of 1, 2 or 5 times a power of ten that is at least the step, from 1 on.
 * @param {?number} [step]
 */
function roundStep(step) {
  if (!step || step <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 5].find(k => k * power >= step) ?? 10) * power;
}

/**
 * Whether the car is where it is known best: only a search finds the sonde.
 * @param {Situation} situation
 */
const isReached = situation => situation.isSearch || situation.isAround;

/** From so many kilometres or miles on a radius of two digits has no decimal. */
const wholeFrom = 10;

/**
 * A distance that is known to a step. Beside a radius without a decimal it has none either.
 * @param {?number} value  Metres.
 * @param {?number} [step]
 * @param {?number} [radius]
 * @returns {u.Figure}
 */
export function roughDistance(value, step, radius) {
  const isWhole = (radius ?? 0) >= wholeFrom * u.far();
  const finest = isWhole ? Math.max(step ?? 0, u.far()) : roundStep(step);
  return u.distance(value == null ? null : Math.round(value / finest) * finest, finest);
}

/**
 * A value that is smaller than the GPS can tell, as "<5 m"; null if it is larger.
 * @param {Line} line
 */
function withinText(line) {
  const { within, value } = line;
  if (!within || !u.known(value) || Math.abs(value) > within) return null;
  const [most, unit] = u.distance(within);
  return [`<${most}`, unit];
}

/**
 * The distance; at a landing point that nobody has seen, the radius within which half of all sondes land.
 * @param {?number} value
 * @param {Situation} situation
 * @param {Line} line
 * @returns {u.Figure}
 */
function distanceFigure(value, situation, line) {
  const within = withinText(line);
  if (within) return within;
  if (!isReached(situation) || !line.least) return roughDistance(value, line.step, line.radius);
  const [radius, unit] = u.radius(line.least);
  return [`±${radius}`, unit];
}

/** @type {Record<string, (value: ?number, situation: Situation, line: Line) => u.Figure>} */
const figures = {
  altitude: u.height,
  landing_in: (v, _, line) => u.countdown(v, line.off),
  vertical: u.climb,
  distance: distanceFigure,
  bearing: (_, s) => [where(s) ?? '–', ''],
  height: (v, _, line) => withinText(line) ?? u.signed(v),
  closing: u.speed,
  rssi: u.dBm,
  mean: u.dBm,
  peak: u.dBm,
  margin: (v, _, line) => marginText(v, line.off, line.left),
};

/**
 * The label, the figure, how far off it may be, and how good it is.
 * @param {import('./situation.js').Line} line
 * @param {import('./situation.js').Situation} situation
 * @param {import('./advice.js').Word} [word]  The advice.
 */
export function lineText(line, situation, word) {
  // Whoever waits does not arrive: the time in hand is what counts.
  const inHand = line.value ?? 0;
  if (line.id === 'margin' && (word === 'wait' || word === 'area') && inHand >= 60) {
    const figure = u.slack(inHand, line.off, line.left);
    const level = marginLevel(inHand, line.isStraight);
    return { label: u.joined(T.canWait, line.isStraight && T.atBest), figure, doubt: null, level };
  }
  const figure = figures[line.id](line.value, situation, line);
  const doubt = line.radius && !isReached(situation) ? u.radius(line.radius) : null;
  const label = u.joined(
    textBy(line.label) ?? T.signals[line.label],
    line.sight && where(situation),
    line.isStraight && T.atBest,
  );
  return {
    label,
    figure,
    doubt,
    level: line.id === 'margin' ? marginLevel(line.value, line.isStraight) : null,
  };
}

/**
 * A time of day, no more exactly than it is known; null while the gateway's clock is not set.
 * @param {?string} [iso]
 * @param {?number} [off]  Seconds that it may be off.
 */
export function whenText(iso, off) {
  if (!iso || !isSynced()) return null;
  const step = u.timeStep(off) * 1000;
  const at = new Date(step ? Math.round(Date.parse(iso) / step) * step : iso);
  const text = at.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return step ? u.about + text : text;
}

/**
 * A time as it is told: of day, or from now while the clock is not set.
 * @param {number} at  Milliseconds since 1970 by the gateway's clock.
 * @param {?number} [off]  Seconds that it may be off.
 */
export const timeText = (at, off) =>
  whenText(new Date(at).toISOString(), off) ??
  (at > gatewayTime()
    ? T.inTime(u.text(u.countdown((at - gatewayTime()) / 1000, off)))
    : T.ago(u.span(gatewayTime() - at)));

/** When it came down, or is taken to have: a time of day, "4 min ago" while the clock is not set, or nothing. */
export function landedText() {
  const seen = flight()?.landed?.time;
  const at = Date.parse(seen ?? landing()?.landing_at ?? '');
  if (!Number.isFinite(at) || !(at <= gatewayTime() || isSynced())) return '';
  return timeText(at, seen ? 0 : landing()?.landing_error_50_s);
}

/**
 * When it lands or landed: a time of day, "≈ 14:20" if that is not exact, or null.
 * @param {?Report.Landing} [l]
 */
export const landingTime = l => whenText(l?.landing_at, l?.landing_error_50_s);

/** "heard 3 s ago", "last heard 2 min ago" once nobody hears it, or null. */
export function heardText() {
  if (!Number.isFinite(heard())) return null;
  return (data.state?.source ? T.heard : T.lastHeard)(u.span(heard()));
}

/** Milliseconds below which a report is of now. */
const nowBelow = 3500;

/** Who hears the sonde, and since when nobody does: "Receiver · now", "SondeHub · 14 s". */
export function chipText() {
  const [, words] = border();
  const age = heard();
  // No line breaks between a number and its unit.
  const ago = age < nowBelow ? T.now : u.span(age).replace(' ', '\u00a0');
  return u.joined(words, Number.isFinite(age) && ago);
}

/** Metres to a town's middle below which a place is in the town. */
const nearTown = 500;
/** Metres: a town's middle is not known more finely. */
const townStep = 100;
/** Metres: a place that may be off by more is somewhere around its town, not so far from it. */
const vague = 5000;
/** The share of the radius to which a place is told. */
const radiusShare = 2;

/**
 * Where a place is, in words: "2 km north of Grenchen"; null where no town is near.
 * @param {?{name: string, distance_m?: number, bearing_deg?: number}} [near]  As `landing.near`.
 * @param {?number} [radius]  Metres by which the place may be off.
 */
export function nearText(near, radius = 0) {
  if (!near?.name) return null;
  if (!u.known(near.distance_m) || near.distance_m < nearTown || (radius ?? 0) > vague) return near.name;
  const step = Math.max(townStep, roundStep((radius ?? 0) / radiusShare));
  // A round number of metres is none of feet or miles.
  const unit = near.distance_m < u.far() ? u.shownAs('near')[0] : u.far() / 10;
  const shownStep = roundStep(step / unit) * unit;
  const distance = Math.round(near.distance_m / shownStep) * shownStep;
  if (!distance) return near.name;
  return T.near({
    distance: u.text(u.distance(distance)),
    wind: T.windsOf[u.octant(near.bearing_deg ?? 0)],
    name: near.name,
  });
}

/**
 * Metres by which the landing point may be off; null where somebody saw the sonde, or set it.
 * @param {?Report.Landing} [l]
 */
const doubtOf = l => (['observed', 'manual'].includes(l?.source ?? '') ? null : l?.error_radius_50_m);

/**
 * The landing point's town, no more exactly than it is known.
 * @param {?Report.Landing} [l]
 */
export const nearLanding = l => nearText(l?.near, doubtOf(l));

/**
 * How far it is to the landing point, and how far off it may be.
 * @param {Report.Landing | null | undefined} l
 * @param {number | null | undefined} metres
 */
export const landingAway = (l, metres) =>
  u.known(metres) && withDoubt(l, u.text(roughDistance(metres, (doubtOf(l) ?? 0) / 100, doubtOf(l))));

/**
 * How far off the landing point may be: "27 km"; empty where somebody saw the sonde, or set it.
 * @param {?Report.Landing} [l]
 */
export const landingDoubt = l => ((doubtOf(l) ?? 0) > 0 ? u.text(u.radius(doubtOf(l))) : '');

/**
 * What is said of the landing point, with how far off it may be: "Grenchen ± 12 km".
 * @param {Report.Landing | null | undefined} l
 * @param {?string} words
 */
export const withDoubt = (l, words) => (words && landingDoubt(l) ? `${words} ± ${landingDoubt(l)}` : words);

/**
 * The landing point's town with how far off the point may be; null where no town is near.
 * @param {?Report.Landing} [l]
 */
export const landingTown = l => withDoubt(l, nearLanding(l));

/**
 * The landing point in degrees, its town, and how far off it may be.
 * @param {?Report.Landing} [l]
 */
export const landingPlace = l => l && withDoubt(l, u.joined(u.place(l), nearLanding(l)));

/**
 * The text as it begins a sentence.
 * @param {string} text
 */
export const capital = text => text[0].toUpperCase() + text.slice(1);

/**
 * One sentence that says what Drive shows.
 * @param {import('./situation.js').Situation} situation
 */
export function statusSentence(situation) {
  const parts = situation.lines.map(line => {
    const { label, figure, doubt } = lineText(line, situation);
    if (figure[0] === '–') return '';
    return `${label.replaceAll(' · ', ', ')} ${figure.join(' ').trim()}${doubt ? ` ± ${doubt.join(' ')}` : ''}`;
  });
  const sentences = [border()[1], phaseWord(facts()), ...parts].filter(Boolean);
  return `${sentences.map(capital).join('. ')}.`;
}

/**
 * What the sonde does and how fast: "falling 13.2 m/s". The word says the sign; one that contradicts it keeps it.
 * @param {?number} [speed]  Metres a second, upwards.
 */
export function motionText(speed) {
  const words = phaseWord(facts());
  if (!u.known(speed)) return words;
  const isTold = speed < 0 === /^descending/.test(data.state?.phase ?? '');
  return `${words} ${u.text(u.climb(isTold ? Math.abs(speed) : speed))}`;
}

/**
 * The line of small print.
 * @param {import('./situation.js').Situation} situation
 */
export function smallPrint(situation) {
  const p = position();
  const l = landing();
  const { target } = situation;
  // The last place in the air is not where a guessed landing is.
  const isAir = target && p && !situation.isGuess;
  const predictedAge = age('landing');
  // On the ground its place is what somebody writes down.
  const isPlaced = data.state?.phase === 'landed' && l?.source === 'observed';
  const isStale = target === 'landing' && predictedAge > 60000 && Number.isFinite(predictedAge);
  const isPredicted = ['predicted', 'last_prediction', 'stored'].includes(l?.source ?? '');
  const rssi = data.state?.source === 'ble' ? radio()?.rssi_dbm : null;
  const speed = isAir && data.state?.phase !== 'landed' ? flight()?.vertical_speed_mps : null;
  return u.joined(
    data.state?.serial && motionText(speed),
    // The number beside it says how far up it lies.
    isAir && !isPlaced && u.text(u.height(p.altitude_m)),
    [data.state?.serial, !isPlaced && p?.sonde_type].filter(Boolean).join(' '),
    isPlaced && u.place(l),
    rssi != null && !isPlaced && !hunt() && u.text(u.dBm(rssi)),
    l?.source === 'last_prediction' && !situation.isGuess && T.guess,
    l?.source === 'bearings' && T.signals.byBearings,
    isStale && isPredicted && T.predicted(u.span(predictedAge)),
    isStale && l?.source === 'bearings' && T.old(u.span(predictedAge)),
    situation.northUp && T.northUp,
    chase()?.route?.no_road_near && T.noRoad,
  );
}
