// The map's markers and lines.
import { el } from '../shared/dom.js';
import { drawing } from './shapes.js';
import { wrap } from './wrap.js';

/**
 * A report's place as Leaflet wants it.
 * @param {Placed} p
 * @returns {[number, number]}
 */
export const pair = p => [p.latitude, wrap(p.longitude)];

/**
 * A text's icon.
 * @param {string} className
 * @param {string} text
 */
export const icon = (className, text) =>
  L.divIcon({ className, html: el('span', {}, text || ''), iconSize: null });

/**
 * A marker's icon.
 * @param {string} kind  Its classes; the first is its shape.
 * @param {number} size  Pixels.
 */
export const shaped = (kind, size) =>
  L.divIcon({
    className: `mark ${kind}`,
    html: el('span', {}, drawing(kind.split(' ')[0])),
    iconSize: [size, size],
  });

/**
 * A text on the map.
 * @param {Leaflet.LatLng} place
 * @param {string} text
 * @param {string} kind
 */
export const label = (place, text, kind = '') =>
  L.marker(place, { interactive: false, keyboard: false, icon: icon(`note ${kind}`, text) });

/**
 * A marker that opens a card. Leaflet makes it a stop of the keyboard, but gives it no role and no name.
 * @param {Leaflet.LatLng} place
 * @param {string} title
 * @param {Leaflet.Options} options
 * @param {() => void} act
 */
export const named = (place, title, options, act) =>
  L.marker(place, { title, ...options })
    .on('add', (/** @type {{target: Leaflet.Layer}} */ { target }) => {
      const element = target.getElement();
      element.setAttribute('role', 'button');
      element.setAttribute('aria-label', title);
    })
    .on('click', act);

/**
 * A small marker that opens a card.
 * @param {Leaflet.LatLng} place
 * @param {string} kind
 * @param {string} title
 * @param {() => void} act
 */
export const dot = (place, kind, title, act) => named(place, title, { icon: shaped(kind, 32) }, act);

/**
 * A line. Its colour is a name of the page's, so that it follows day and night.
 * @param {Leaflet.LatLng[]} places
 * @param {Leaflet.Options} style  `color` like `--car`.
 */
export const line = (places, style) =>
  L.polyline(places, { interactive: false, ...style, color: colour(style.color) });

/**
 * A colour by its name, as a line on the canvas needs it.
 * @param {string} name
 */
export const colour = name => getComputedStyle(document.body).getPropertyValue(name).trim();

const earth = 6371009;
const radians = Math.PI / 180;
/** The corners of an outline: at 100 km it is 4 m beside the circle. */
const corners = 360;

/**
 * A circle that may be far larger than the map, as a line: Leaflet draws only what is seen of a line. The dashes around
 * a whole circle of 500 km at the last zoom level stop the page for seconds.
 * @param {[number, number]} place  Latitude and longitude.
 * @param {number} radius  Metres.
 * @param {Leaflet.Options} style
 */
export function outline([latitude, longitude], radius, style) {
  const [sine, cosine] = [Math.sin(latitude * radians), Math.cos(latitude * radians)];
  const [far, near] = [Math.sin(radius / earth), Math.cos(radius / earth)];
  const places = Array.from({ length: corners + 1 }, (_, i) => {
    const angle = (i * 2 * Math.PI) / corners;
    const north = sine * near + cosine * far * Math.cos(angle);
    const turned = Math.atan2(Math.sin(angle) * far * cosine, near - sine * north);
    return [Math.asin(north) / radians, longitude + turned / radians];
  });
  return line(places, { weight: 1.5, smoothFactor: 0.3, ...style });
}

/**
 * A circle; `radius` in metres.
 * @param {Leaflet.LatLng} place
 * @param {number} radius
 * @param {Leaflet.Options} style
 */
export const ring = (place, radius, style) =>
  L.circle(place, {
    interactive: false,
    radius,
    weight: 1.5,
    fill: false,
    ...style,
    color: colour(style.color),
  });
