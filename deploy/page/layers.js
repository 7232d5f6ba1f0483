// The layers below the markers. Each is redrawn only after a change.
import {position, flight, landing, prediction, route} from './stream.js';
import {chase, situation, whenText} from './model.js';
import {el} from './dom.js';
import {T} from './texts.js';
import * as u from './units.js';
export const layers = {};
const known = {}, violet = '#a04bff';
// From bottom to top.
if (window.L) for (const name of 'ghosts error sight path now route line rings burst'.split(' ')) layers[name] = L.layerGroup();
const at = p => p && [p.latitude, p.longitude];
// Empties the layer; true if it must be drawn.
function fresh(name, isThere, ...values) {
	const key = [!!isThere, ...values].join();
	if (known[name] === key) return false;
	known[name] = key;
	layers[name].clearLayers();
	return isThere;
}
export const icon = (className, text, size) => L.divIcon({className, html: el('span', {}, text || ''), iconSize: size ? [size, size] : null});
export const label = (place, text, kind = '') => L.marker(place, {interactive: false, keyboard: false, icon: icon('note ' + kind, text)});
const dot = (place, kind, act, title) => L.marker(place, {title, icon: icon('mark ' + kind, '', 24)}).on('click', act);
const line = (places, color, weight, dashArray) => L.polyline(places, {interactive: false, color, weight, dashArray});
const ring = (place, radius, color, dashArray, fill = false) => L.circle(place, {interactive: false, radius, color, weight: 1.5, dashArray, fill, fillOpacity: .05});
export function draw(map, card) {
	const l = landing(), p = prediction(), c = chase(), pos = position(), f = flight(), r = route(), zoom = map.getZoom();
	// Circles lie below the track.
	const put = (name, ...made) => made.forEach(m => { m.addTo(layers[name]); if ('ghosts error sight'.includes(name)) m.bringToBack?.(); }), open = (name, q, more) => () => card(name, L.latLng(at(q)), more);
	const ghosts = (l?.history || []).slice(-11, -1);
	if (fresh('ghosts', ghosts[0], ghosts[0]?.time, ghosts.at(-1)?.time, zoom)) {
		let named;
		ghosts.forEach((h, i) => {
			const when = whenText(h.time), pixel = map.project(at(h), zoom);
			put('ghosts', L.circleMarker(at(h), {radius: 7, weight: 2, color: violet, opacity: .25 + .07 * i, fillOpacity: .04 * i}).on('click', open('ghost', h, [when])));
			if (!when || named?.distanceTo(pixel) < 60) return;
			named = pixel;
			put('ghosts', label(at(h), when).setOpacity(.5 + .05 * i));
		});
	}
	if (fresh('error', l, at(l), l?.error_radius_50_m, l?.error_radius_90_m)) {
		for (const [m, dash] of [[l.error_radius_50_m], [l.error_radius_90_m, '4 6']]) if (m > 0) put('error', ring(at(l), m, violet, dash, true));
	}
	// The sonde's radio range, with refraction.
	const sight = pos?.altitude_m > 0 ? 4120 * Math.sqrt(pos.altitude_m) : 0;
	if (fresh('sight', sight, pos?.latitude.toFixed(2), pos?.longitude.toFixed(2), Math.round(sight / 1000))) put('sight', ring(at(pos), sight, '#0a7d6c', '2 8'));
	if (fresh('path', p?.path?.length, p?.computed_at)) put('path', line(p.path.map(q => [q[1], q[2]]), violet, 3, '8 6'));
	const now = p?.if_burst_now ?? p?.own_winds?.if_burst_now;
	if (fresh('now', now, at(now))) put('now', dot(at(now), 'now', open('now', now), T.layerNames.now));
	if (fresh('route', r, r?.properties?.computed_at)) put('route', line(r.geometry.coordinates.map(q => [q[1], q[0]]), '#0b8f4d', 6));
	const target = situation().target == 'sonde' ? pos ?? f?.last : l;
	if (fresh('line', c && target, at(c?.car), at(target))) put('line', line([at(c.car), at(target)], '#888', 2, '2 6'));
	const middle = c?.car || pos;
	if (fresh('rings', middle, u.place(middle), zoom, u.units())) {
		// Three rings; the largest fills about half the screen.
		const unit = u.far(), room = 40075016 * Math.cos(middle.latitude * Math.PI / 180) / 2 ** (zoom + 8) * Math.min(innerWidth, innerHeight) * .75 / unit;
		for (const k of [.1, .2, .5, 1, 2, 5, 10, 20, 50, 100, 200, 500].filter(k => k <= room).slice(-3)) {
			put('rings', ring(at(middle), k * unit, '#777', '1 5'), label([middle.latitude + k * unit / 111195, middle.longitude], u.text(u.distance(k * unit))));
		}
	}
	const burst = f?.burst || p?.burst;
	if (fresh('burst', burst, at(burst), !f?.burst)) {
		put('burst', dot(at(burst), f?.burst ? 'burst' : 'burst guess', open('burst', burst, [u.text(u.height(burst.altitude_m))]), T.layerNames.burst));
	}
}
