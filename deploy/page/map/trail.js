// The car's own way since the page was opened: on foot it shows where somebody has already looked.
import { chase } from '../shared/stream.js';
import { line, pair } from './icons.js';

/** The most places; beyond, every second one is forgotten. */
const most = 3000;
/** Metres between two places. A resting GPS wanders less. */
const step = 12;

export class Trail {
  /** @param {any} map */
  constructor(map) {
    this.map = map;
    this.group = L.layerGroup();
    /** @type {Array<{latitude: number, longitude: number}>} */
    this.places = [];
    this.redraw();
  }

  /** Draws all places anew. */
  redraw() {
    this.group.clearLayers();
    const style = { color: '--car', weight: 3.5, dashArray: '1 7' };
    this.drawn = line(this.places.map(pair), style).addTo(this.group);
  }

  /** Notes where the car is. */
  follow() {
    const { latitude, longitude } = chase()?.car ?? {};
    if (typeof latitude !== 'number') return;
    const last = this.places.at(-1);
    const here = { latitude, longitude };
    if (last && this.map.distance(pair(last), pair(here)) < step) return;
    this.places.push(here);
    if (this.places.length > most) this.places = this.places.filter((_, i) => i % 2 === 0);
    this.drawn.setLatLngs(this.places.map(pair));
  }
}
