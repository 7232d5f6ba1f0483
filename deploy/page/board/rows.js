// A card for each sonde and a row for each car.

import { marginLevel } from '../drive/situation.js';
import { button, el } from '../shared/dom.js';
import { T } from '../shared/texts.js';
import { townOf } from '../shared/towns.js';
import * as u from '../shared/units.js';
import { age, cars, clockOff, hasBroker, isLost, isOld, mayCommand, until } from './stream.js';
import { B } from './texts.js';

/** A sonde's position and a car's values are old after so many milliseconds. */
export const sondeLimit = 120_000;
export const carLimit = 60_000;

/** Whether the page hears no car at all. */
const isBlind = () => isLost() || !hasBroker();

/** The text for a car's word; undefined if there is none. */
const textOf = (texts, word) => (Object.hasOwn(texts, word) ? texts[word] : undefined);

// The board writes 1970 for a time ahead of its clock. Before its first sign of life its own time is unknown.
function ago(text) {
  if (Date.parse(text) === 0) return B.unknownTime;
  return age(text) >= 0 ? B.ago(u.span(age(text))) : '–';
}

function landingText(sonde) {
  const landing = sonde.landing;
  const left = until(landing.landing_at);
  let when = '';
  if (sonde.phase === 'landed') when = B.landed;
  else if (left >= 0) when = B.lands(u.text(u.countdown(left)));
  else if (left < 0) when = B.overdue(u.span(-left * 1000));
  const radius = landing.error_radius_90_m;
  const town = townOf(landing, landing.source === 'observed' ? 0 : radius);
  return u.joined(when, town, u.known(radius) && B.within(u.text(u.radius(radius))), B.by(landing.car));
}

/**
 * Why a car can't be reached. Without a broker, or without the board, each car would seem to be silent.
 * @param {any} car
 */
export function reachText(car) {
  return car?.reach === 'silent' && isBlind() ? '' : B.reach[car?.reach ?? 'ok'];
}

function arrivalText(arrival) {
  const left = arrival.arrival_at ? until(arrival.arrival_at) : arrival.duration_s;
  const way = u.known(left)
    ? B.arrives(u.text(u.countdown(Math.max(0, left))))
    : B.straight(u.text(u.distance(arrival.distance_m)));
  const margin = arrival.margin_s;
  const early = u.known(margin) && B.margin(u.span(Math.abs(margin) * 1000), margin >= 0);
  return u.joined(arrival.car, way, early, reachText(cars[arrival.car]));
}

// A green needs a road: without one the arrival has no level.
function arrivalItem(arrival) {
  const isStraight = !arrival.arrival_at && !u.known(arrival.duration_s);
  return el('li', { class: marginLevel(arrival.margin_s ?? null, isStraight) }, arrivalText(arrival));
}

function positionText(position) {
  const source = `${textOf(B.sources, position.source) ?? position.source} ${B.by(position.car)}`;
  const height = u.text(u.height(position.altitude_m));
  const climb = u.known(position.vertical_speed_mps) && u.text(u.climb(position.vertical_speed_mps));
  return u.joined(position.sonde_type, height, climb, source, ago(position.at));
}

function recoveryText({ state, by, note, at, car }) {
  return u.joined(textOf(T.recoveries, state), by, note, ago(at), B.by(car));
}

const isAway = car => ['silent', 'unconnected'].includes(car.reach);

// Who hears a sonde. A car that can't be reached may still hear what it last heard. Without a broker the
// page does not know who hears what.
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
 * @param {any} sonde
 * @param {(serial: string) => void} choose  when somebody wants to send a car
 */
export function sondeCard(sonde, choose) {
  const parts = [
    el(
      'h3',
      {},
      el('span', {}, sonde.serial),
      mayCommand() ? button(B.sendCar, () => choose(sonde.serial)) : '',
    ),
  ];
  if (sonde.position) {
    const isAged = isOld(sonde.position.at, sondeLimit);
    parts.push(el('p', { class: isAged && 'aged' }, positionText(sonde.position)));
  }
  const hearing = hearingText(sonde);
  if (hearing) parts.push(el('p', {}, hearing));
  if (sonde.landing) parts.push(el('p', {}, landingText(sonde)));
  if (sonde.recovery) parts.push(el('p', { class: 'recovery' }, recoveryText(sonde.recovery)));
  if (sonde.arrivals.length) parts.push(el('ol', {}, ...sonde.arrivals.map(arrivalItem)));
  return el('div', { class: 'flight', id: `sonde-${sonde.serial}` }, ...parts);
}

/**
 * How far a clock is off. A message takes a moment: an hour is measured as 3599 s.
 * @param {number} seconds
 */
export const clockSpan = seconds => u.span(Math.round(Math.abs(seconds) / 5) * 5000);

// A car that differs from the board by as much as most cars is right: the board's clock is off.
const isBoardsFault = car => clockOff() !== null && Math.abs(car.clock_off_s - clockOff()) <= 10;

function warnings(car) {
  // A clock that nobody sets is no fault until it is off: a Pi in a car sees no time server.
  const isOff = u.known(car.clock_off_s) && !isBoardsFault(car);
  const clock = isOff && B.clockOff(clockSpan(car.clock_off_s));
  const hasSign = car.reach !== 'ok' && age(car.at) >= 0;
  const reach = u.joined(reachText(car), hasSign && B.heardBefore(u.span(age(car.at))));
  return [reach, car.twice && B.twice, clock].filter(Boolean);
}

// A clock that is ahead makes a place of the future: a car that is silent was there at the latest when it was last heard.
function placedText(car) {
  const [placed, heard] = [age(car.placed_at), age(car.at)];
  const isAhead = car.reach !== 'ok' && heard > placed;
  return ago(isAhead ? car.at : car.placed_at);
}

/**
 * The row of a car, and one with where it is in words, and its warnings.
 * @param {any} car
 * @param {(car: any) => void} show  when somebody chooses it
 */
export function carRows(car, show) {
  const isBad = car.reach !== 'ok';
  const hears = car.source === 'ble' && u.known(car.rssi_dbm) && !isOld(car.radio_at, carLimit);
  const texts = [
    car.id,
    car.serial ?? '–',
    textOf(T.states, car.state) ?? '–',
    hears ? `${u.plain(car.rssi_dbm)} dBm` : '–',
    u.known(car.battery_pct) ? `${car.battery_pct} %` : '–',
    u.text(u.speed(car.speed_mps)),
    placedText(car),
  ];
  const act = { onclick: () => show(car) };
  const row = el(
    'tr',
    { id: `car-${car.id}`, class: isBad && 'bad', ...act },
    // State, battery and speed have no time of their own.
    ...texts.map((text, i) => el('td', { class: isBad && [2, 4, 5].includes(i) && 'aged' }, text)),
  );
  const town = townOf(car);
  const warned = warnings(car).map(text => el('span', { class: 'warn' }, text));
  const below = [...(town ? [el('span', { class: 'where' }, town)] : []), ...warned];
  if (!below.length) return [row];
  const kind = warned.length ? 'below warned' : 'below';
  return [row, el('tr', { class: kind, ...act }, el('td', { colSpan: texts.length }, ...below))];
}
