// The map without tiles: coast, borders, towns, graticule. Drawn as tiles for fast panning.
import {body} from './dom.js';
import {label} from './layers.js';
import {json} from './stream.js';
const css = name => getComputedStyle(body).getPropertyValue(name);
// base/make.py's format: zigzag numbers, 7 bits a byte, in 1/200 degree.
function decode(bytes) {
	const rings = [];
	let i = 0;
	const number = () => { let v = 0, s = 0, b; do { b = bytes[i++]; v += (b & 127) * 2 ** s; s += 7; } while (b & 128); return v; };
	const signed = () => { const v = number(); return v & 1 ? -(v + 1) / 2 : v / 2; };
	while (i < bytes.length) {
		const n = number(), ring = new Float64Array(n * 2), box = [2, 2, -1, -1];
		for (let k = 0, x = 0, y = 0; k < n; k++) {
			x += signed();
			y += signed();
			const s = Math.sin(Math.min(85.05, Math.max(-85.05, y / 200)) * Math.PI / 180);
			const px = ring[2 * k] = x / 72000 + .5, py = ring[2 * k + 1] = .5 - Math.log((1 + s) / (1 - s)) / (4 * Math.PI);
			box[0] = Math.min(box[0], px); box[1] = Math.min(box[1], py); box[2] = Math.max(box[2], px); box[3] = Math.max(box[3], py);
		}
		rings.push({ring, box});
	}
	return rings;
}
const tiles = draw => window.L?.GridLayer.extend({
	createTile(c) {
		const t = L.DomUtil.create('canvas', ''), ratio = Math.min(2, devicePixelRatio);
		t.width = t.height = 256 * ratio;
		const g = t.getContext('2d');
		g.scale(ratio, ratio);
		draw(g, c, 2 ** c.z, this._map);
		return t;
	},
});
let rings = [];
const Land = tiles((g, c, n) => {
	g.fillStyle = css('--sea');
	g.fillRect(0, 0, 256, 256);
	const [x0, y0, x1, y1] = [c.x / n, c.y / n, (c.x + 1) / n, (c.y + 1) / n], scale = n * 256;
	g.fillStyle = css('--land');
	g.strokeStyle = css('--edge');
	g.lineWidth = 1.2;
	for (const {ring, box} of rings) {
		if (box[0] > x1 || box[2] < x0 || box[1] > y1 || box[3] < y0) continue;
		g.beginPath();
		let lx = 1e9, ly = 1e9;
		for (let k = 0; k < ring.length; k += 2) {
			const x = (ring[k] - x0) * scale, y = (ring[k + 1] - y0) * scale;
			if (Math.abs(x - lx) + Math.abs(y - ly) < 1) continue;
			g.lineTo(lx = x, ly = y);
		}
		g.closePath();
		g.fill();
		g.stroke();
	}
});
const Lines = tiles((g, c, n, map) => {
	const step = [30, 30, 20, 10, 10, 5, 2, 1, 1, .5, .2, .1, .1, .05, .02][c.z] || .01;
	const a = map.unproject([c.x * 256, c.y * 256], c.z), b = map.unproject([c.x * 256 + 256, c.y * 256 + 256], c.z);
	g.strokeStyle = g.fillStyle = css('--grid');
	g.font = '11px sans-serif';
	const text = v => +v.toFixed(2) + '°';
	const line = (x0, y0, x1, y1) => { g.beginPath(); g.moveTo(x0, y0); g.lineTo(x1, y1); g.stroke(); };
	for (let k = Math.ceil(a.lng / step); k * step < b.lng; k++) {
		const x = map.project([0, k * step], c.z).x - c.x * 256;
		line(x, 0, x, 256);
		if (c.y % 2 == 0) g.fillText(text(k * step), x + 3, 12);
	}
	for (let k = Math.ceil(b.lat / step); k * step < a.lat; k++) {
		const y = map.project([k * step, 0], c.z).y - c.y * 256;
		line(0, y, 256, y);
		if (c.x % 2 == 0) g.fillText(text(k * step), 3, y - 3);
	}
});
export function addBase(map) {
	const land = new Land({zIndex: 1}), grid = new Lines({zIndex: 3}), towns = L.layerGroup();
	let all = [], last;
	// Names the largest towns that have room. Skips small moves.
	function name(e) {
		const zoom = map.getZoom(), view = map.getBounds(), used = new Set(), at = map.project(view.getCenter());
		if (e && last?.zoom == zoom && last.at.distanceTo(at) < 99) return;
		last = {zoom, at};
		towns.clearLayers();
		if (zoom < 5 || !map.hasLayer(land) || land.isCovered) return;
		const [west, south, east, north] = view.toBBoxString().split(',').map(Number);
		for (const [text, y, x] of all) {
			if (x < west || x > east || y < south || y > north) continue;
			const p = map.latLngToContainerPoint([y, x]), key = [Math.round(p.x / 160), Math.round(p.y / 40)].join();
			if (used.has(key)) continue;
			if (used.add(key).size > 40) break;
			label([y, x], text, 'town').addTo(towns);
		}
	}
	map.on('moveend', name);
	fetch('/base/world.bin').then(r => r.arrayBuffer()).then(b => { rings = decode(new Uint8Array(b)); land.redraw(); }).catch(() => {});
	json('/base/towns.json').then((t = {}) => { all = Object.values(t).flat().sort((a, b) => b[3] - a[3]); name(); });
	return {base: L.layerGroup([land, towns]), grid, redraw() { land.redraw(); grid.redraw(); }, cover(is) { land.isCovered = is; name(); }};
}
