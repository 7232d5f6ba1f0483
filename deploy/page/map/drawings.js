// What the crew has drawn: KML and GeoJSON files of the box, for example landowners' fences or a no-go area.
import { json } from '../shared/stream.js';
import { ofGeoJSON, ofKML } from './geometry.js';
import { colour, label, line } from './icons.js';

/** @typedef {import('./geometry.js').Shape} Shape */

/** @param {Shape} shape */
function drawn({ name, kind, places }) {
  const group = L.layerGroup();
  const style = { color: '--ink-2', weight: 2.5 };
  if (!places.length) return group;
  if (kind === 'area') {
    const { color, ...rest } = style;
    L.polygon(places, { interactive: false, ...rest, color: colour(color), fillOpacity: 0.08 }).addTo(group);
  } else if (kind === 'line') line(places, style).addTo(group);
  else L.circleMarker(places[0], { interactive: false, radius: 5, color: colour('--ink-2') }).addTo(group);
  if (name) label(places[0], name, 'drawn').addTo(group);
  return group;
}

/** @param {Leaflet.Layer} layer  @param {string} name */
async function load(layer, name) {
  try {
    const answer = await fetch(`drawings/${encodeURIComponent(name)}`);
    const text = answer.ok ? await answer.text() : '';
    const shapes = /\.kml$/i.test(name) ? ofKML(text) : ofGeoJSON(text);
    layer.clearLayers();
    for (const shape of shapes) drawn(shape).addTo(layer);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    console.warn(`${name}: ${message}`);
  }
}

/**
 * A layer for each file. It is loaded when it is first shown, and again in the colours of day or night.
 * @returns {Promise<Record<string, Leaflet.Layer>>}  By name.
 */
export async function drawings() {
  /** @type {Record<string, Leaflet.Layer>} */
  const layers = {};
  for (const { name } of (await json('drawings.json')) ?? []) {
    const layer = L.layerGroup();
    layers[name] = layer.on('add', () => load(layer, name));
  }
  return layers;
}
