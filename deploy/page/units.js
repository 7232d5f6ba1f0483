// Numbers for people: [number, unit].
import {configured} from './stream.js';
const tables = {
	metric: {far: [1000, 'km'], near: [1, 'm'], height: [1, 'm'], speed: [1 / 3.6, 'km/h'], climb: [1, 'm/s']},
	imperial: {far: [1609.344, 'mi'], near: [.3048, 'ft'], height: [.3048, 'ft'], speed: [.44704, 'mph'], climb: [.00508, 'ft/min']},
};
tables.aviation = {...tables.imperial, far: [1852, 'NM'], speed: [1852 / 3600, 'kt']};
const names = Object.keys(tables);
export const none = ['–', ''];
export const units = () => localStorage.units || configured('units') || 'metric';
export const nextUnits = () => localStorage.units = names[(names.indexOf(units()) + 1) % 3];
const table = () => tables[units()] || tables.metric;
export const far = () => table().far[0];
export const known = v => typeof v == 'number' && isFinite(v);
// No minus before zero.
const fixed = (v, digits) => { const text = v.toFixed(digits); return +text ? text : text.replace('-', ''); };
const grouped = (v, digits = 0) => fixed(v, digits).replace('-', '−').replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');
const as = (v, [scale, unit], digits = 0) => known(v) ? [grouped(v / scale, digits), unit] : none;
export const distance = m => {
	if (!known(m)) return none;
	const {far, near} = table(), v = m / far[0];
	return v < 1 ? as(m, near) : as(m, far, v < 100 && Math.abs(v - Math.round(v)) > .01 ? 1 : 0);
};
export const height = m => as(m, table().height);
export const signed = m => {
	const [value, unit] = height(m);
	return [(m > 0 && value != '0' ? '+' : '') + value, unit];
};
export const speed = v => as(v, table().speed);
export const climb = v => as(v, table().climb, table().climb[0] == 1 ? 1 : 0);
export const mhz = f => known(f) ? f.toFixed(3) : '–';
export const joined = (...parts) => parts.filter(Boolean).join(' · ');
export const text = pair => pair.join(pair[1] ? '\u00a0' : '');
const two = n => String(n).padStart(2, '0');
export const clock = s => {
	if (!known(s)) return none;
	const t = Math.abs(Math.round(s)), h = Math.floor(t / 3600), m = Math.floor(t / 60) % 60;
	return [(s < 0 && t ? '−' : '') + (h ? h + ':' + two(m) : m) + ':' + two(t % 60), ''];
};
// A prediction is not exact to the second; the last five minutes are shown with seconds.
export const countdown = s => {
	if (!known(s)) return none;
	const t = Math.abs(s), minutes = Math.round(t / 60);
	if (t < 300) return clock(t);
	return minutes < 60 ? [String(minutes), 'min'] : [`${Math.floor(minutes / 60)}:${two(minutes % 60)}`, 'h'];
};
// "404,2" and "4042" are 404.2 MHz. NaN if it is no number.
export const frequency = text => {
	const digits = text.trim().replace(',', '.');
	return /^\d{4,6}$/.test(digits) ? digits / 10 ** (digits.length - 3) : digits ? +digits : NaN;
};
export const span = ms => {
	const s = Math.max(0, Math.round(ms / 1000));
	return s < 120 ? `${s} s` : s < 7200 ? `${Math.floor(s / 60)} min` : `${Math.floor(s / 3600)} h`;
};
export const place = p => p ? `${p.latitude.toFixed(5)}, ${p.longitude.toFixed(5)}` : '–';
export const octant = deg => Math.round(((deg % 360) + 360) % 360 / 45) % 8;
