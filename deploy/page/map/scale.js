// The scale bar. Leaflet's own would turn with the map.
import { $, put } from '../shared/dom.js';
import * as u from '../shared/units.js';

/** The earth's circumference in metres. */
const circumference = 40075016;
/** The longest bar, in pixels. */
const widest = 120;
const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];

/**
 * Metres of a pixel.
 * @param {number} latitude
 * @param {number} zoom
 */
export const metresOfPixel = (latitude, zoom) =>
  (circumference * Math.cos((latitude * Math.PI) / 180)) / 2 ** (zoom + 8);

/**
 * Draws the bar for the middle of the map.
 * @param {Leaflet.Map} map
 */
export function drawScale(map) {
  const pixel = metresOfPixel(map.getCenter().lat, map.getZoom());
  const length = steps.filter(step => (step * u.far()) / pixel <= widest).at(-1);
  $('scale').hidden = length == null;
  if (length == null) return;
  put($('scale'), u.text(u.distance(length * u.far())));
  $('scale').style.width = `${Math.round((length * u.far()) / pixel)}px`;
}
