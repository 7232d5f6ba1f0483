// Leaflet pans and zooms; heading-up turns its whole pane.
import {$, el, put, cls, near, button, sheet, body} from './dom.js';
import {data, position, flight, landing, radio, listen, age, heard, now, json, mayCommand} from './stream.js';
import {chase, situation, aged, carAge, sondeLimit, heardText} from './model.js';
import {send, tune} from './command.js';
import {T} from './texts.js';
import * as u from './units.js';
import {addBase} from './base.js';
import {Track} from './track.js';
import {draw as drawLayers, layers as made, icon} from './layers.js';
const modes = Object.keys(T.follows).slice(0, 4), still = matchMedia('(prefers-reduced-motion)').matches;
const off = JSON.parse(localStorage.layersOff || '[]'), marks = {}, tiles = {};
let map, mode = localStorage.follow || 'fit', shown, touchedAt = -1e9, course = 0, turned = 0, base, track;
const at = p => typeof p?.latitude == 'number' ? L.latLng(p.latitude, p.longitude) : null;

export function startMap() {
	if (!window.L) return put($('leaf'), T.noLeaflet);
	map = L.map('leaf', {zoomControl: false, attributionControl: false, renderer: L.canvas({padding: .3}), center: [47, 8], zoom: 6, keyboard: false, maxZoom: 18,
		fadeAnimation: !still, zoomAnimation: !still, inertia: !still});
	// From the screen to the turned pane.
	map.mouseEventToContainerPoint = e => {
		const b = $('leaf').getBoundingClientRect(), x = e.clientX - b.left - b.width / 2, y = e.clientY - b.top - b.height / 2;
		const a = turned * Math.PI / 180, s = map.getSize();
		return L.point(x * Math.cos(a) - y * Math.sin(a) + s.x / 2, x * Math.sin(a) + y * Math.cos(a) + s.y / 2);
	};
	map.on('dragstart', free);
	// No gliding while the whole map moves.
	map.on('viewprereset zoomstart', () => cls($('leaf'), 'gliding'));
	for (const name of ['pointerdown', 'wheel']) $('leaf').addEventListener(name, () => touchedAt = now(), {passive: true});
	map.on('contextmenu', e => card('here', e.latlng));
	base = addBase(map);
	track = new Track(map);
	apply();
	for (const name of ['landing', 'sonde', 'car']) {
		marks[name] = L.marker([0, 0], {zIndexOffset: 600, title: T.names[name], icon: icon('mark ' + name, '', 36)})
			.on('click', () => card(name, marks[name].getLatLng()));
	}
	json('/maps.json').then((list = []) => {
		for (const {name, min, max, bounds: b, attribution} of list) tiles[name] = L.tileLayer(`/maps/${encodeURIComponent(name)}/{z}/{x}/{y}`, {minNativeZoom: min, maxNativeZoom: max,
			zIndex: 2, className: 'tiles', credit: attribution, ...(b ? {bounds: [[b[1], b[0]], [b[3], b[2]]]} : {})});
		apply();
	});
	listen(() => track.draw(), 'track', 'position');
	new ResizeObserver(size).observe($('box'));
	show(mode);
}
const isOn = name => !off.includes(name);
function apply() {
	const all = {...tiles, base: base.base, grid: base.grid, track: track.group, ...made};
	for (const [name, layer] of Object.entries(all)) map[isOn(name) ? 'addLayer' : 'removeLayer'](layer);
	const seen = Object.keys(tiles).filter(isOn);
	base.cover(seen[0]);
	put($('credit'), u.joined('Leaflet', T.credit, ...seen.map(n => tiles[n].options.credit)));
}
export function chooseLayers() {
	if (!map) return;
	const names = {...T.layerNames};
	for (const name in tiles) names[name] = name;
	sheet(T.layers, ...Object.keys(names).map(name => el('label', {class: 'wide'}, el('input', {type: 'checkbox', checked: isOn(name), onchange() {
		if (isOn(name)) off.push(name); else off.splice(off.indexOf(name), 1);
		localStorage.layersOff = JSON.stringify(off);
		apply();
	}}), names[name])));
}
export const recolour = () => base?.redraw();

function show(next) {
	shown = next;
	put($('follow').lastChild, T.follows[next]);
	body.dataset.follow = next;
	size();
	if (next != 'free') follow(true);
}
function free() { touchedAt = now(); show('free'); }
export function nextMode() {
	if (!map) return;
	mode = localStorage.follow = modes[(modes.indexOf(mode) + 1) % 4];
	touchedAt = -1e9;
	show(mode);
}
// Heading-up: a square with the diagonal's side, turned around the car in the lower third.
function size() {
	if (!map || $('map').hidden) return;
	const {width, height} = $('box').getBoundingClientRect(), isTurned = shown == 'heading', middle = height * .68;
	const side = Math.ceil(2 * Math.hypot(width / 2, middle)), px = v => v + 'px';
	Object.assign($('leaf').style, isTurned ? {width: px(side), height: px(side), left: px((width - side) / 2), top: px(middle - side / 2)}
		: {width: '100%', height: '100%', left: 0, top: 0});
	if (!isTurned) turn(0);
	map.invalidateSize({pan: false});
}
function turn(to) {
	turned = to;
	$('leaf').style.transform = to ? `rotate(${-to}deg)` : '';
	body.style.setProperty('--turn', to + 'deg');
}
function follow(isNew) {
	const c = chase(), car = at(c?.car), sonde = at(position() ?? flight()?.last), land = at(landing());
	const target = situation().target == 'sonde' ? sonde : land || sonde, one = {sonde, landing: land}[shown];
	const go = (to, isNew) => isNew || map.getZoom() < 8 ? map.setView(to, Math.max(map.getZoom(), 12), {animate: false}) : map.panTo(to, {animate: !still, duration: 1, easeLinearity: 1});
	if (shown == 'heading' && car) {
		turn(course = near(c.car.course_deg ?? course, course));
		go(car, isNew);
	} else if (one) go(one);
	else {
		const places = [car, target].filter(Boolean);
		if (!places.length || !isNew && now() - touchedAt < 30000) return;
		const bounds = L.latLngBounds(places), zoom = places[1] ? Math.min(15, map.getBoundsZoom(bounds.pad(.25))) : 11;
		// Moves only when needed: a map at rest is easier to read.
		if (isNew || zoom != map.getZoom() || !map.getBounds().pad(-.1).contains(bounds)) map.setView(bounds.getCenter(), zoom, {animate: false});
	}
}
const drawn = {};
export function drawMap() {
	if (!map || $('map').hidden) return;
	const c = chase();
	for (const [name, place] of Object.entries({car: at(c?.car), sonde: at(position() ?? flight()?.last), landing: at(landing())})) {
		if (String(place) == drawn[name]) continue;
		drawn[name] = String(place);
		cls($('leaf'), 'gliding', true);
		if (place) marks[name].setLatLng(place).addTo(map); else marks[name].remove();
	}
	for (const [name, ...age] of [['sonde', heard(), sondeLimit()], ['car', carAge()]]) marks[name].getElement()?.classList.toggle('stale', aged('', ...age)[1]);
	marks.car.getElement()?.style.setProperty('--course', (c?.car.course_deg ?? 0) + 'deg');
	if (shown != 'free') follow(); else if (now() - touchedAt > 30000) show(mode);
	drawLayers(map, card);
}
export function zoom(by) { if (!map) return; touchedAt = now(); map.setZoom(map.getZoom() + by); }
export function pan(x, y) { if (!map) return; free(); map.panBy([x * 120, y * 120]); }
export function card(name, at, more = []) {
	const r = radio(), p = position(), text = u.place({latitude: at.lat, longitude: at.lng}), where = `${at.lat.toFixed(6)},${at.lng.toFixed(6)}`;
	const f = r?.sonde_frequency_mhz ?? (data.state?.source == 'ble' ? r?.frequency_mhz : null), serial = data.state?.serial, facts = [text, ...more], acts = [];
	const act = (label, f) => mayCommand() && acts.push(button(label, () => { d.close(); f(); }));
	if (name == 'sonde') {
		facts.push(serial, p?.sonde_type, p && u.text(u.height(p.altitude_m)), heardText(), f && `${u.mhz(f)} MHz`);
		if (f) act(T.tune, () => tune(f, p?.sonde_type));
		if (serial) act(T.hunt, () => send({hunt: serial}, T.serial, serial));
	}
	if (name == 'car') facts.push(T.old(u.span(carAge())));
	if (name == 'landing' && landing()) {
		facts.push(T.old(u.span(age('landing'))), T.methods[landing().method]);
		if (landing().source == 'manual') act(T.takeBack, takeBack);
	}
	if (name == 'here') act(T.setLanding, () => send({landing_point: {latitude: +at.lat.toFixed(6), longitude: +at.lng.toFixed(6)}}, T.names.landing, text));
	const d = sheet(T.names[name] || T.layerNames[name], ...facts.filter(Boolean).map(t => el('p', {}, t)), el('div', {class: 'row'},
		button(T.copy, () => navigator.clipboard ? navigator.clipboard.writeText(text) : prompt(T.copy, text)),
		el('a', {class: 'button', href: `geo:${where}?q=${where}`}, T.geo),
		el('a', {class: 'button', href: `https://www.google.com/maps/dir/?api=1&destination=${where}`, target: '_blank', rel: 'noreferrer'}, T.navigate), ...acts));
}
const takeBack = () => send({landing_point: null}, T.names.landing, '–');
export function more() {
	const serial = el('input', {maxlength: 32, 'aria-label': T.huntSerial, placeholder: T.huntSerial}), wide = {class: 'wide'};
	const act = (label, f) => button(label, () => { d.close(); f(); }, wide), unit = () => `${T.units}: ${u.units()}`;
	const d = sheet(T.more, ...(mayCommand() ? [
		...['car', 'bike'].map(mode => act(T.routes[mode], () => send({route: {mode}}, T.route, mode))), ...(map ? [act(T.setLanding, () => card('here', map.getCenter()))] : []), act(T.takeBack, takeBack),
		el('form', {class: 'row', method: 'dialog', onsubmit() { send({hunt: serial.value.trim() || null}, T.serial, serial.value); }}, serial, el('button', {}, T.send)),
	] : [T.readOnly]), button(unit(), e => { u.nextUnits(); put(e.target, unit()); }, wide));
}
