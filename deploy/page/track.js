// The sonde's track in short pieces: a new point redraws only one.
import {track} from './stream.js';
const most = 300, gap = 60000, sway = 30;
export class Track {
	constructor(map) {
		this.group = L.layerGroup().addTo(map);
		this.clear();
	}
	clear() {
		this.group.clearLayers();
		Object.assign(this, {used: 0, kind: '', isUp: true});
	}
	draw() {
		if (track[0] !== this.first || this.used > track.length) { this.clear(); this.first = track[0]; }
		for (; this.used < track.length; this.used++) this.add(track[this.used], track[this.used - 1]);
		if (this.pending) this.line.setLatLngs(this.places);
		this.pending = false;
	}
	add(p, last) {
		if (!last) { this.height = p[3]; return; }
		// Up or down since the last turn; `sway` is tolerated.
		if (Math.abs(p[3] - this.height) > sway) { this.isUp = p[3] > this.height; this.height = p[3]; }
		const kind = (p[0] - last[0] > gap ? 'gap' : this.isUp ? 'up' : 'down') + p[4];
		if (kind != this.kind || this.length >= most) {
			if (this.pending) this.line.setLatLngs(this.places);
			this.kind = kind;
			this.length = 0;
			this.places = [[last[1], last[2]]];
			this.line = L.polyline([], {interactive: false, color: this.isUp ? '#1769d2' : '#d43c1d', weight: p[4] == 'ble' ? 4 : 2,
				dashArray: kind.startsWith('gap') ? '6 8' : null, smoothFactor: 1.5}).addTo(this.group);
		}
		this.places.push([p[1], p[2]]);
		this.length++;
		this.pending = true;
	}
}
