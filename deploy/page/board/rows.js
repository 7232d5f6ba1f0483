// A card for each sonde and a row for each car.

import { levelShape } from '../drive/level.js';
import { marginText } from '../drive/words.js';
import { drawing } from '../map/shapes.js';
import { button, el } from '../shared/dom.js';
import { T } from '../shared/texts.js';
import { townOf } from '../shared/towns.js';
import * as u from '../shared/units.js';
import { arrivalOf, isTimeOld, radiusOf, timeOff } from './arrival.js';
import { cardRibbon } from './ribbon.js';
import { age, cars, hasBroker, isLost, isOld, mayCommand, sondes, until } from './stream.js';
import { B } from './texts.js';

/** A sonde's position and a car's values are old after so many milliseconds. */
export const sondeLimit = 120_000;
export const carLimit = 60_000;

/** Whether the page hears no car at all. */
const isBlind = () => isLost() || !hasBroker();

/**
 * The text for a car's word; undefined if there is none.
 * @param {Record<string, string>} texts
 * @param {?string} word
 */
const textOf = (texts, word) => (word && Object.hasOwn(texts, word) ? texts[word] : undefined);

/**
 * The board writes 1970 for a time ahead of its clock. Before its first sign of life its own time is unknown.
 * @param {?string} text
 */
function ago(text) {
  if (Date.parse(text ?? '') === 0) return B.unknownTime;
  return age(text) >= 0 ? B.ago(u.span(age(text))) : '–';
}

/** @param {Board.Sonde} sonde  @param {Board.Landing} landing */
function landingText(sonde, landing) {
  const left = until(landing.landing_at);
  let when = '';
  if (sonde.phase === 'landed') when = B.landed;
  // How long it still flies stands beside, large.
  else if (left < 0) when = B.overdue(u.span(-left * 1000));
  const radius = radiusOf(landing);
  const town = townOf(landing, radius ?? 0);
  const doubt = radius && `± ${u.text(u.radius(radius))}`;
  return u.joined(when, [town, doubt].filter(Boolean).join(' '), B.by(landing.car));
}

/**
 * Why a car can't be reached. Without a broker, or without the board, each car would seem to be silent.
 * @param {Board.Car} [car]
 */
export function reachText(car) {
  return car?.reach === 'silent' && isBlind() ? '' : B.reach[car?.reach ?? 'ok'];
}

/**
 * Seconds until a car is at the landing point; NaN without a route.
 * @param {Board.Arrival} arrival
 */
const drive = arrival =>
  arrival.arrival_at ? until(arrival.arrival_at) : (arrival.duration_s ?? Number.NaN);

/**
 * When a car is there, as a word or a countdown; nothing if that is unknown.
 * @param {Board.Arrival} arrival
 * @param {Board.Sonde} sonde
 */
function thereText(arrival, sonde) {
  if (arrivalOf(arrival, sonde.phase).isThere) return B.there;
  const left = drive(arrival);
  return u.known(left) ? B.arrives(u.text(u.countdown(Math.max(0, left)))) : '';
}

/**
 * A car that can't be reached may have stopped: its way and its time are struck.
 * @param {Board.Arrival} arrival
 * @param {Board.Sonde} sonde
 */
function arrivalText(arrival, sonde) {
  const car = cars[arrival.car];
  const { isThere, isOld, isStraight } = arrivalOf(arrival, sonde.phase, car?.reach);
  const way = u.text(u.distance(arrival.distance_m));
  const there = thereText(arrival, sonde);
  const words = there
    ? u.joined(way, there, isStraight && !isThere && T.methods.straight_line)
    : B.straight(way);
  const reach = reachText(car);
  const told = isOld ? el('s', { class: 'aged' }, words) : words;
  return el('span', { class: 'dim' }, told, reach && ` · ${reach}`);
}

/**
 * How early or late a car is, by shape, word and colour; nothing if it is unknown.
 * @param {Board.Arrival} arrival
 * @param {Board.Sonde} sonde
 */
function marginOf(arrival, sonde) {
  const { isThere, isOld, level } = arrivalOf(arrival, sonde.phase, cars[arrival.car]?.reach);
  if (!u.known(arrival.margin_s) || isThere) return '';
  const words = u.text(
    marginText(arrival.margin_s, timeOff(sonde.landing), until(sonde.landing?.landing_at)),
  );
  const kind = isOld ? 'aged' : (level ?? '');
  return el('span', { class: `margin ${kind}` }, ...(level ? [levelShape(level)] : []), words);
}

/**
 * A marker's picture beside a name.
 * @param {string} kind
 */
const mark = kind =>
  el('span', { class: `mark ${kind}`, 'aria-hidden': 'true' }, drawing(kind.split(' ')[0]));

/** @param {Board.Arrival} arrival  @param {Board.Sonde} sonde */
function arrivalItem(arrival, sonde) {
  const facts = el('div', {}, el('b', {}, arrival.car), arrivalText(arrival, sonde));
  return el('li', {}, mark('car'), facts, marginOf(arrival, sonde));
}

/** @param {Board.Position} position */
function positionText(position) {
  const source = `${textOf(B.sources, position.source) ?? position.source} ${B.by(position.car)}`;
  const height = u.text(u.height(position.altitude_m));
  const climb = u.known(position.vertical_speed_mps) && u.text(u.climb(position.vertical_speed_mps));
  return u.joined(position.sonde_type, height, climb, source, ago(position.at));
}

/** @param {Board.Recovery} recovery */
function recoveryText({ state, by, note, at, car }) {
  return u.joined(textOf(T.recoveries, state), by, note, ago(at), B.by(car));
}

/** @param {Board.Car} car */
const isAway = car => ['silent', 'unconnected'].includes(car.reach);

/**
 * Who hears a sonde. A car that can't be reached may still hear what it last heard. Without a broker the
 * page does not know who hears what.
 * @param {Board.Sonde} sonde
 */
function hearingText(sonde) {
  const heard = sonde.heard_by.filter(one => !isOld(one.at, carLimit));
  const names = heard.map(one => `${one.car} ${u.plain(one.rssi_dbm ?? '?')} dBm`).join(', ');
  if (names) return B.heardBy(names);
  if (isBlind()) return '';
  const away = Object.values(cars).filter(
    car => car.serial === sonde.serial && car.source === 'ble' && isAway(car),
  );
  return away.length ? B.mayHear(away.map(car => car.id).join(', ')) : B.nobody;
}

/**
 * When it lands, large, while it flies.
 * @param {Board.Sonde} sonde
 * @param {boolean} isAged  Nobody has heard it for long.
 */
function landingValue({ landing, phase }, isAged) {
  const left = until(landing?.landing_at);
  if (!landing || phase === 'landed' || !(left >= 0)) return '';
  const value = u.text(u.countdown(left, timeOff(landing)));
  const kind = isTimeOld(isAged, cars[landing.car]?.reach) ? 'aged' : '';
  return el('div', { class: 'val' }, el('small', {}, T.landingIn), el('b', { class: kind }, value));
}

/**
 * @param {Board.Sonde} sonde
 * @param {(serial: string) => void} choose  when somebody wants to send a car
 */
export function sondeCard(sonde, choose) {
  const { position, landing, phase, serial } = sonde;
  /** @type {Node[]} */
  const facts = [el('h3', {}, el('span', {}, serial))];
  const isAged = position && isOld(position.at, sondeLimit);
  if (position) facts.push(el('p', { class: isAged && 'aged' }, positionText(position)));
  const hearing = hearingText(sonde);
  if (hearing) facts.push(el('p', {}, hearing));
  if (landing) facts.push(el('p', { class: 'landing-point' }, landingText(sonde, landing)));
  if (sonde.recovery) facts.push(el('p', { class: 'recovery' }, recoveryText(sonde.recovery)));
  const shape = /^descending/.test(phase ?? '') ? 'sonde falling' : 'sonde';
  /** @type {Node[]} */
  const parts = [
    el('div', { class: 'top' }, mark(shape), el('div', {}, ...facts), landingValue(sonde, !!isAged)),
  ];
  const ribbon = cardRibbon(sonde);
  if (ribbon) parts.push(ribbon);
  if (sonde.arrivals.length) parts.push(el('ol', {}, ...sonde.arrivals.map(one => arrivalItem(one, sonde))));
  const send = button(B.sendCar, () => choose(serial));
  if (mayCommand()) parts.push(el('div', { class: 'foot' }, send));
  return el('div', { class: 'flight', id: `sonde-${serial}` }, ...parts);
}

/**
 * How far a clock is off. A message takes a moment: an hour is measured as 3599 s.
 * @param {number} seconds
 */
const clockSpan = seconds => u.span(Math.round(Math.abs(seconds) / 5) * 5000);

/** @param {Board.Car} car */
function warnings(car) {
  // A clock that nobody sets is no fault until it is off: a Pi in a car sees no time server.
  const clock = u.known(car.clock_off_s) && B.clockOff(clockSpan(car.clock_off_s ?? 0));
  const hasSign = car.reach !== 'ok' && age(car.at) >= 0;
  const reach = u.joined(reachText(car), hasSign && B.heardBefore(u.span(age(car.at))));
  return [reach, car.twice && B.twice, clock].flatMap(text => text || []);
}

/**
 * A clock that is ahead makes a place of the future: a car that is silent was there at the latest when it was last heard.
 * @param {Board.Car} car
 */
function placedText(car) {
  const [placed, heard] = [age(car.placed_at), age(car.at)];
  const isAhead = car.reach !== 'ok' && heard > placed;
  return ago(isAhead ? car.at : car.placed_at);
}

/**
 * The row of a car, and one with where it is in words, and its warnings.
 * @param {Board.Car} car
 * @param {(car: Board.Car) => void} show  when somebody chooses it
 */
export function carRows(car, show) {
  const isBad = car.reach !== 'ok';
  const hears = car.source === 'ble' && u.known(car.rssi_dbm) && !isOld(car.radio_at, carLimit);
  const texts = [
    car.id,
    car.serial ?? '–',
    textOf(T.states, car.state) ?? '–',
    hears ? `${u.plain(car.rssi_dbm ?? '?')} dBm` : '–',
    u.known(car.battery_pct) ? `${car.battery_pct} %` : '–',
    u.text(u.speed(car.speed_mps)),
    placedText(car),
  ];
  // Where it goes: how far, and when it is there.
  const sonde = sondes[car.serial ?? ''];
  const arrival = sonde?.arrivals.find(one => one.car === car.id);
  const left = arrival ? drive(arrival) : Number.NaN;
  const isThere = arrival && arrivalOf(arrival, sonde.phase).isThere;
  const time = u.known(left) ? u.text(u.countdown(Math.max(0, left))) : '–';
  texts.push(arrival ? u.text(u.distance(arrival.distance_m)) : '–', isThere ? B.there : time);
  const act = { onclick: () => show(car) };
  const row = el(
    'tr',
    { id: `car-${car.id}`, class: isBad && 'bad', ...act },
    // State, battery, speed and what is left of the way have no time of their own.
    ...texts.map((text, i) => el('td', { class: isBad && [2, 4, 5, 7, 8].includes(i) && 'aged' }, text)),
  );
  const town = townOf(car);
  const warned = warnings(car).map(text => el('span', { class: 'warn' }, text));
  const below = [...(town ? [el('span', { class: 'where' }, town)] : []), ...warned];
  if (!below.length) return [row];
  const kind = warned.length ? 'below warned' : 'below';
  return [row, el('tr', { class: kind, ...act }, el('td', { colSpan: texts.length }, ...below))];
}
