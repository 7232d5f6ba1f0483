// The target, three numbers, and their trust.
import {data, position, flight, landing, radio, age, since, receivedAge, isSynced, isLost, heard} from './stream.js';
import {T} from './texts.js';
import * as u from './units.js';
const near = 2000, is = u.known, old = 10000, gone = 120000;
// [text, its age in words, is it old, is it gone]
export function aged(value, age) {
	const isOld = age > old && age < 1 / 0 && value != '–', isGone = isOld && age > gone;
	return [isGone ? T.lastHeard(u.span(age)) : value, isOld && !isGone ? T.old(u.span(age)) : '', isOld, isGone];
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
export const phaseWord = () => T.phases[data.state?.phase] || T.phases.unknown;
const line = (id, label, [value, unit], age) => ({id, label, value, unit, age});
const angle = s => s && (s.relative_bearing_deg ?? s.bearing_deg);
const words = s => !s ? u.none : [is(s.relative_bearing_deg) ? T.turns[u.octant(s.relative_bearing_deg)] : T.winds[u.octant(s.bearing_deg)], ''];
export function situation() {
	const c = chase(), p = position(), f = flight(), l = landing(), ago = heard(), own = carAge();
	const t = landingIn(), high = line('altitude', T.altitude, u.height(p?.altitude_m ?? f?.last?.altitude_m), ago), lands = line('landing_in', t < 0 ? T.overdue : T.landingIn, u.clock(t && Math.abs(t)), ago);
	const result = (target, lines, sight) => ({target, lines, sight, turn: angle(sight), other: angle(target == 'sonde' ? c?.landing : c?.sonde),
		northUp: sight && !is(sight.relative_bearing_deg)});
	if (!c) return result(null, [high, lands, line('vertical', T.vertical, u.climb(f?.vertical_speed_mps), ago)]);
	const isDown = data.state?.phase == 'landed', s = isDown ? c.sonde ?? c.landing : c.sonde, both = Math.max(ago, own);
	// An observed or manual place does not age like the sonde's.
	const isPlaced = ['observed', 'manual'].includes(l?.source);
	if (s && (isDown || s.distance_m < near)) {
		const trust = isDown && isPlaced ? own : both, top = p?.altitude_m ?? f?.landed?.altitude_m ?? l?.altitude_m;
		return result('sonde', [line('distance', T.toSonde, u.distance(s.distance_m), trust), line('bearing', T.bearing, words(s), trust),
			line('height', T.height, u.signed(is(top) && is(c.car.altitude_m) ? top - c.car.altitude_m : null), trust)], s);
	}
	if (!l || !c.landing) {
		return result('sonde', [line('distance', T.toSonde, u.distance(s?.distance_m), both), line('closing', T.closing, u.speed(s?.closing_speed_mps), both), high], s);
	}
	const m = c.margin_s, minutes = Math.floor(Math.abs(m) / 60);
	return result('landing', [line('distance', T.toLanding, u.distance(c.landing.distance_m), isPlaced ? own : both), lands,
		line('margin', u.joined(T.margin, c.route?.method == 'straight_line' && T.methods.straight_line), is(m) ? [minutes ? String(minutes) : '<1', `min ${m < 0 ? T.late : T.early}`] : u.none, both)], c.landing);
}
export const whenText = iso => iso && isSynced() ? new Date(iso).toLocaleTimeString([], {timeStyle: 'short'}) : null;
export const heardText = () => isFinite(heard()) && T.heard(u.span(heard()));
export function smallPrint(s) {
	const p = position(), r = radio(), l = landing();
	return u.joined(!s.target && T.noCar, !s.target && l && `${T.landingAt} ${u.place(l)}`, border()[1], heardText(), phaseWord(), data.state?.serial, p?.sonde_type,
		s.target && p && u.text(u.height(p.altitude_m)), s.target && p && u.text(u.climb(flight()?.vertical_speed_mps)),
		data.state?.source == 'ble' && r?.rssi_dbm != null && `${Math.round(r.rssi_dbm)} dBm`,
		l?.source == 'last_prediction' && T.guess, s.northUp && T.northUp, chase()?.route?.no_road_near && T.noRoad);
}
