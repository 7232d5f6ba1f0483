// All settings, and all data.
import {$, el, put, cls, button, sheet, body, dialog, toast} from './dom.js';
import {data, position as p, flight as f, radio as r, health as h, proposal, landing, prediction, listen, age, heard, receivedAge, isSynced, json, now, mayCommand} from './stream.js';
import {chase, landingIn, phaseWord, whenText, aged, carAge, sondeLimit} from './model.js';
import {send, tune, asked, acceptProposal, onAsked} from './command.js';
import {T} from './texts.js';
import * as u from './units.js';
const dash = v => v == null || v === '' ? '–' : v.map ? u.text(v) : String(v), has = v => v != null;
function table(rows) {
	const cells = rows.map(([name]) => [el('th', {scope: 'row'}, name), el('td')]);
	return {root: el('table', {}, ...cells.map(c => el('tr', {}, ...c))), draw: () => rows.forEach(([, f, age], i) => {
		const value = dash(f()), [since, isOld] = aged(value, ...age?.() ?? []);
		put(cells[i][1], value + (since && ` · ${since}`));
		cls(cells[i][1], 'old', isOld);
	})};
}
const route = () => chase()?.route, inTime = s => T.inTime(u.span(s * 1000));
const rows = {
	source: () => T.sources[data.state?.source], state: () => T.states[data.state?.state], phase: phaseWord,
	serial: () => u.joined(data.state?.serial, p()?.sonde_type), altitude: () => u.height(p()?.altitude_m), highest: () => u.height(f()?.highest_m),
	frequency: () => r() && u.mhz(r().frequency_mhz ?? r().sonde_frequency_mhz) + ' MHz', signal: () => has(r()?.rssi_dbm) && r().rssi_dbm + ' dBm',
	battery: () => has(r()?.battery_pct) && `${r().battery_pct} % · ${r().battery_v ?? '–'} V`, vertical: () => u.climb(f()?.vertical_speed_mps),
	horizontal: () => u.speed(f()?.horizontal_speed_mps), descent: () => has(f()?.descent_rate_mps) && u.text(u.climb(f().descent_rate_mps)) + (prediction() ? ` (${T.inUse})` : ''),
	distance: () => u.distance(chase()?.sonde?.distance_m), remaining: () => u.countdown(landingIn()),
	landsAt: () => whenText(landing()?.landing_at) ?? (has(landingIn()) && inTime(landingIn())),
	arrival: () => route() && `${whenText(route().arrival_at) ?? inTime(route().duration_s)} (${T.methods[route().method]})`, margin: () => u.clock(chase()?.margin_s),
	killer: () => r()?.burst_killer_enabled && has(r().burst_killer_s) && u.clock(r().burst_killer_s - receivedAge('radio') / 1000),
	method: () => { const q = prediction(); return q && `${T.methods[q.method]} · ${T.radius} ${u.text(u.distance(q.error_radius_90_m))} · ${T.old(u.span(age('prediction')))}`; },
	reason: () => data.state?.reason.replaceAll('_', ' '), link: () => u.joined(data.receiver_state, data.state?.receiver?.name, data.state?.receiver?.firmware),
	sondehub: () => { const s = data.state?.sondehub; return s && (has(s.poll_s) ? T.poll(s) : T.off); },
	broker: () => h() && T.brokerText(h().broker_outages, h().queue_depth), spool: () => h() && T.spoolText(h().spool.depth),
	clock: () => isSynced() ? T.clockSet : T.clockUnset, version: () => data.bridge_info?.version,
};
const ages = [[() => [heard(), sondeLimit()], 'altitude highest vertical horizontal descent remaining landsAt'], [() => [receivedAge('radio')], 'frequency signal battery killer'], [() => [Math.max(heard(), carAge()), sondeLimit()], 'distance margin'], [() => [carAge()], 'arrival']];
const some = names => table(names.map(n => [T[n], () => rows[n]() || null, ages.find(a => a[1].split(' ').includes(n))?.[0]]));
const state = some(['state', 'reason', 'link', 'frequency', 'signal', 'battery', 'sondehub', 'broker', 'spool', 'clock', 'version']);
let panel;
export function showPanel() {
	if (panel?.root.isConnected) return dialog().close();
	panel = some(Object.keys(rows).slice(0, 19));
	panel.draw();
	sheet(T.panel, panel.root);
}
export const drawPanel = () => panel?.root.isConnected && panel.draw();

const signal = [], ground = el('canvas', {width: 600, height: 80, role: 'img', 'aria-label': T.rssi});
listen(() => { if (has(r()?.rssi_dbm) && signal.push([now(), r().rssi_dbm]) > 400) signal.shift(); }, 'radio');
function drawSignal() {
	const g = ground.getContext('2d');
	let last = 0;
	g.clearRect(0, 0, 600, 80);
	g.strokeStyle = getComputedStyle(body).color;
	g.lineWidth = 2;
	g.beginPath();
	for (const [t, v] of signal) {
		g[t - last > 5000 ? 'moveTo' : 'lineTo'](600 - (now() - t) / 500, 80 - (v + 130) * .9);
		last = t;
	}
	g.stroke();
}
// The button shows the wanted value.
function control(what, text, act) {
	const b = button('', act);
	return {root: b, draw() { put(b, asked[what] ? T.asked(asked[what]) : text()); b.disabled = !!asked[what]; }};
}
const muteWord = () => r()?.mute ? T.unmute : T.mute, mute = control(T.mute, muteWord, () => send({mute: !r()?.mute}, T.mute, muteWord()));
const afc = control(T.afc, () => has(r()?.afc_mean_hz) ? `${T.afc} ${Math.round(r().afc_mean_hz)} Hz: ${T.save}` : `${T.afc} –`, () => send({tune: {save: true}}, T.afc, T.save));
const offer = el('p'), take = el('div', {class: 'row'}, button(T.tune, acceptProposal, {class: 'strong'}), button(T.later, () => send({accept_proposal: false}, T.later)));
const wanted = el('input', {id: 'mhz', inputmode: 'decimal', 'aria-label': T.frequency + ' MHz', placeholder: '404.200'}), tuning = el('p');
const type = el('select', {'aria-label': T.type}, el('option', {value: ''}, T.type), ...['RS41', 'M20', 'M10', 'PILOT', 'DFM'].map(t => el('option', {}, t)));
const keys = [...'123456789.0⌫'].map(k => button(k, () => wanted.value = k == '⌫' ? wanted.value.slice(0, -1) : wanted.value + k));
const pad = el('form', {onsubmit(e) { e.preventDefault(); const f = u.frequency(wanted.value), {frequency_min_mhz: min, frequency_max_mhz: max} = data.bridge_info ?? {}; if (f >= min && f <= max) tune(f, type.value); else toast(T.outOfRange(min, max)); }},
	el('div', {class: 'row'}, wanted, type, el('button', {class: 'strong', id: 'tune'}, T.tune)), el('div', {class: 'keys'}, ...keys), tuning);
const settings = el('div', {class: 'settings'}), flights = el('ul'), values = [];
async function listSettings() {
	for (const {key, field, min, max, reboots, dangerous} of await json('/api/settings') || []) {
		const range = has(max) ? `${min} … ${max}` : 'A–Z 0–9 - /', output = el('output');
		const input = el('input', {class: 'mine', ...(has(max) ? {type: 'number', min, max} : {maxlength: 8}), 'aria-label': `${key} ${range}`});
		const act = e => { e.preventDefault(); if (input.value) send({settings: {[key]: has(max) ? +input.value : input.value.toUpperCase()}}, key, input.value); };
		settings.append(el('form', {onsubmit: act}, el('b', {}, key), output, input, el('button', {class: 'mine'}, T.send),
			el('small', {}, u.joined(range, reboots && T.restarts, dangerous && T.dangerous))));
		values.push([key, field, output]);
	}
}
export const shownReceiver = () => json('/api/flights').then(list => flights.replaceChildren(...(list?.flights || []).slice(0, 20).map(f =>
	el('li', {}, `${f.serial} · ${u.text(u.height(f.highest_m))} `, ...['gpx', 'kml', 'csv', 'geojson'].map(x => el('a', {href: `/flights/${encodeURIComponent(f.serial)}.${x}`, download: true}, x))))));
export function startReceiver() {
	const mine = (...x) => el('div', {class: 'mine'}, ...x), title = t => el('h2', {}, t);
	$('receiver').append(el('div', {class: 'columns'}, el('div', {}, state.root, ground),
		el('div', {}, mine(offer, take, pad, el('div', {class: 'row'}, mute.root, afc.root)), title(T.settings), mine(button(T.readSettings, () => send({request: 'settings'}, T.settings))), settings, title(T.flights), flights)));
	listSettings();
	onAsked(drawReceiver);
}
export function drawReceiver() {
	cls(body, 'readonly', !mayCommand());
	if ($('receiver').hidden) return;
	for (const part of [state, mute, afc]) part.draw();
	drawSignal();
	const o = proposal();
	put(offer, o ? T.proposal(u.mhz(o.frequency_mhz), o.sonde_type) : '');
	take.hidden = !o;
	put(tuning, asked[T.frequency] ? T.asked(asked[T.frequency]) : '');
	for (const [key, field, output] of values) {
		const v = data.settings?.[field];
		put(output, asked[key] ? T.asked(asked[key]) : dash(typeof v == 'boolean' ? +v : v));
	}
}
