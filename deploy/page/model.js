// The target, three numbers, and their trust.
import {data, position, flight, landing, radio, age, since, receivedAge, isSynced, isLost, heard} from './stream.js';
import {T} from './texts.js';
import * as u from './units.js';
const near = 2000, is = u.known, old = 10000, gone = 120000;
// SondeHub's positions are normally 15 to 19 s old.
export const sondeLimit = () => data.state?.source == 'sondehub' ? 40000 : old;
// [its age in words, is it old, is it too old to rely on]
export function aged(value, age, limit = old) {
	const isOld = age > limit && age < 1 / 0 && value != '–';
	return [isOld ? T.old(u.span(age)) : '', isOld, isOld && age > gone];
}
export const carAge = () => age('chase', 'car');
// Null once the reports stop.
export const chase = () => data.chase?.car && (isLost() || since('chase') < 30000) ? data.chase : null;
export const landingIn = () => is(landing()?.landing_in_s) ? landing().landing_in_s - since('landing') / 1000 : null;
// [colour, words]
export function border() {
	const s = data.state, name = T.sources[s?.source];
	if (isLost()) return ['red', T.lost];
	if (!name) return s?.state == 'waitingForAPRS' ? ['red', T.states[s.state]] : ['grey', T.nothing];
	const isHeard = s.source == 'ble';
	if (isHeard ? age('position') > 3000 : receivedAge('position') > 40000) return ['red', `${name}: ${T.noNews}`];
	return [isHeard ? 'green' : 'orange', name];
}
const isGuess = () => data.state?.phase == 'landed' && landing()?.source == 'last_prediction';
export const phaseWord = () => isGuess() ? T.probablyLanded : T.phases[data.state?.phase] || T.phases.unknown;
const line = (id, label, [value, unit], age, limit) => ({id, label, value, unit, age, limit});
const angle = s => s && (s.relative_bearing_deg ?? s.bearing_deg);
// By the car's nose, or by the compass if its course is unknown.
const direction = s => is(s?.relative_bearing_deg) ? T.turns[u.octant(s.relative_bearing_deg)] : is(s?.bearing_deg) && T.winds[u.octant(s.bearing_deg)];
const words = s => [direction(s) || '–', ''];
export function situation() {
	const c = chase(), p = position(), f = flight(), l = landing(), ago = heard(), own = carAge(), limit = sondeLimit();
	const t = landingIn(), high = line('altitude', T.altitude, u.height(p?.altitude_m ?? f?.last?.altitude_m), ago, limit), lands = line('landing_in', t < 0 ? T.overdue : T.landingIn, u.countdown(t), ago, limit);
	const result = (target, lines, sight) => ({target, lines, sight, turn: angle(sight), other: angle(target == 'sonde' ? c?.landing : c?.sonde),
		northUp: sight && !is(sight.relative_bearing_deg), direction: direction(sight)});
	if (!c) return result(null, [high, lands, line('vertical', T.vertical, u.climb(f?.vertical_speed_mps), ago, limit)]);
	const isDown = data.state?.phase == 'landed', guess = isGuess() && !!c.landing, s = guess ? c.landing : isDown ? c.sonde ?? c.landing : c.sonde;
	const both = Math.max(ago, own), bothLimit = own > old ? old : limit;
	const isPlaced = ['observed', 'manual'].includes(l?.source);
	if (s && (isDown || s.distance_m < near)) {
		// An observed or manual place does not age like the sonde's.
		const trust = isDown && isPlaced || guess ? [own] : [both, bothLimit];
		// After a landing that nobody observed, the sonde's last altitude is one in the air.
		const top = guess ? l?.altitude_m : p?.altitude_m ?? f?.landed?.altitude_m ?? l?.altitude_m;
		return result(guess ? 'landing' : 'sonde', [line('distance', guess ? T.toLanding : T.toSonde, u.distance(s.distance_m), ...trust), line('bearing', T.bearing, words(s), ...trust),
			line('height', T.height, u.signed(is(top) && is(c.car.altitude_m) ? top - c.car.altitude_m : null), ...trust)], s);
	}
	if (!l || !c.landing) {
		return result('sonde', [line('distance', u.joined(T.toSonde, direction(s)), u.distance(s?.distance_m), both, bothLimit), line('closing', T.closing, u.speed(s?.closing_speed_mps), both, bothLimit), high], s);
	}
	// The car's distance to a predicted place ages with the car. The small print has the prediction's age.
	const m = c.margin_s, minutes = Math.floor(Math.abs(m) / 60);
	return result('landing', [line('distance', u.joined(T.toLanding, direction(c.landing)), u.distance(c.landing.distance_m), own), lands,
		line('margin', u.joined(T.margin, c.route?.method == 'straight_line' && T.methods.straight_line), is(m) ? [minutes ? String(minutes) : '<1', `min ${m < 0 ? T.late : T.early}`] : u.none, both, bothLimit)], c.landing);
}
export const whenText = iso => iso && isSynced() ? new Date(iso).toLocaleTimeString([], {timeStyle: 'short'}) : null;
export const heardText = () => isFinite(heard()) && T.heard(u.span(heard()));
export function smallPrint(s) {
	const p = position(), r = radio(), l = landing();
	return u.joined(!s.target && T.noCar, !s.target && l && `${T.landingAt} ${u.place(l)}`, border()[1], heardText(), phaseWord(), data.state?.serial, p?.sonde_type,
		s.target && p && u.text(u.height(p.altitude_m)), s.target && p && u.text(u.climb(flight()?.vertical_speed_mps)),
		data.state?.source == 'ble' && r?.rssi_dbm != null && `${Math.round(r.rssi_dbm)} dBm`,
		l?.source == 'last_prediction' && T.guess, s.target == 'landing' && age('landing') > 60000 && age('landing') < 1 / 0 && T.predicted(u.span(age('landing'))), s.northUp && T.northUp, chase()?.route?.no_road_near && T.noRoad);
}
