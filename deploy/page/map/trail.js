// The car's own way on the map.
import { trail } from '../shared/trail.js';
import { line, pair } from './icons.js';

export class Trail {
  constructor() {
    this.group = L.layerGroup();
    this.redraw();
  }

  /** Draws all places anew. */
  redraw() {
    this.group.clearLayers();
    const style = { color: '--car', weight: 3.5, dashArray: '1 7' };
    this.drawn = line(trail.map(pair), style).addTo(this.group);
    this.last = trail.at(-1);
  }

  /** Draws the places that are new. */
  follow() {
    if (trail.at(-1) === this.last) return;
    this.last = trail.at(-1);
    this.drawn.setLatLngs(trail.map(pair));
  }
}
