// The map with all cars, sondes, landing points, tracks and predicted paths.
import { addBase } from '../map/base.js';
import { isCovered, rasters } from '../map/rasters.js';
import { drawScale } from '../map/scale.js';
import { drawing } from '../map/shapes.js';
import { $, cls, el, put } from '../shared/dom.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { radiusOf } from './arrival.js';
import { carLimit, sondeLimit } from './rows.js';
import { cars, isOld, lines, sondes } from './stream.js';
import { spread } from './tags.js';

/**
 * A colour of the page, by day or by night.
 * @param {string} name
 */
const colour = name => getComputedStyle(document.body).getPropertyValue(name).trim();
/** Pixels around a place that its pin and its name take. */
const room = { left: 16, right: 124, above: 16, below: 16 };
/** Pixels of a name: its height, that of a letter, and its edges with the gap to the pin. */
const size = { height: 26, letter: 9, edges: 26 };
/** The order in which names keep their places. */
const ranks = ['car', 'sonde', 'landing'];
/** The closest zoom level that the map chooses by itself. */
const closest = 12;
/** @type {Leaflet.Map} */
let map;
/** @type {ReturnType<typeof addBase> | undefined} */
let base;
/** Somebody has moved the map, or it shows all that there is. */
let isChosen = false;
/** @type {Record<string, Leaflet.Layer>} */
const markers = {};
/** @type {Record<string, {of: Board.Lines, group: Leaflet.Layer}>} */
const drawn = Object.create(null);
/**
 * Where half of all sondes land around a point that nobody has seen, by serial.
 * @type {Record<string, Leaflet.Layer>}
 */
const circles = Object.create(null);

/**
 * @param {?{latitude: ?number, longitude: ?number} | undefined} place
 * @returns {?Leaflet.LatLng}
 */
const at = place => {
  const { latitude, longitude } = place ?? {};
  return u.known(latitude) && u.known(longitude) ? L.latLng(latitude, longitude) : null;
};

function choose() {
  isChosen = true;
}

export function startChart() {
  if (!window.L) return;
  map = L.map('chart', {
    attributionControl: false,
    renderer: L.canvas({ padding: 0.3 }),
    center: [47, 8],
    zoom: 6,
    maxZoom: 18,
    zoomAnimation: false,
    fadeAnimation: false,
  });
  base = addBase(map);
  map.addLayer(base.base);
  map.on('moveend zoomend', arrange);
  addRasters();
  for (const name of ['pointerdown', 'wheel', 'keydown']) {
    $('chart').addEventListener(name, choose, { passive: true });
  }
  new ResizeObserver(() => map.invalidateSize({ pan: false })).observe($('fleet'));
}

async function addRasters() {
  const layers = await rasters(() => base?.cover(isCovered()));
  for (const layer of Object.values(layers)) map.addLayer(layer);
  put(
    $('credit'),
    u.joined('Leaflet', T.credit, ...Object.values(layers).map(layer => layer.options.credit)),
  );
}

/** Draws in the colours of day or night. */
export function recolour() {
  base?.redraw();
  for (const serial of Object.keys(drawn)) {
    drawn[serial].group.remove();
    delete drawn[serial];
  }
  if (!map) return;
  drawLines();
  drawCircles();
}

/**
 * Shows a place.
 * @param {Board.Car} place
 */
export function show(place) {
  if (!map || !at(place)) return;
  choose();
  map.setView(at(place), Math.max(map.getZoom(), 12));
}

/**
 * @typedef {object} Mark
 * @property {?Leaflet.LatLng} place
 * @property {string} kind
 * @property {string} text
 * @property {boolean} isFaded
 * @property {boolean} [isFalling]
 * @property {?number} [course]
 */

function wanted() {
  /** @type {Record<string, Mark>} */
  const all = {};
  for (const car of Object.values(cars)) {
    const isFaded = car.reach !== 'ok' || isOld(car.placed_at, carLimit);
    all[`car ${car.id}`] = { place: at(car), kind: 'car', text: car.id, isFaded, course: car.course_deg };
  }
  for (const sonde of Object.values(sondes)) {
    const { serial, position, landing } = sonde;
    const isFaded = isOld(position?.at, sondeLimit);
    const isFalling = /^descending/.test(sonde.phase ?? '');
    all[`sonde ${serial}`] = { place: at(position), kind: 'sonde', text: serial, isFaded, isFalling };
    all[`landing ${serial}`] = { place: at(landing), kind: 'landing', text: `✕ ${serial}`, isFaded: false };
  }
  return all;
}

/**
 * A pin at the place, and the name beside it.
 * @param {Mark} mark
 */
function marker({ place, kind, text }) {
  const pin = el('i', { class: `pin mark ${kind}` }, el('b', {}, drawing(kind)));
  const html = el('span', {}, el('i', { class: 'lead' }), pin, el('span', {}, text));
  const icon = L.divIcon({ className: `tag of-${kind}`, html, iconSize: [0, 0] });
  // A touch on it does nothing, so the keyboard passes it by. A car's pin lies above the others.
  const options = { icon, title: text, keyboard: false, zIndexOffset: kind === 'car' ? 500 : 0 };
  return L.marker(place, options).addTo(map);
}

// No name lies on another: a car's name stays beside its pin, the others move down.
function arrange() {
  /** @param {string} key */
  const rank = key => ranks.indexOf(key.split(' ')[0]);
  const keys = Object.keys(markers).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  const tags = keys.map(key => {
    const { x, y } = map.latLngToContainerPoint(markers[key].getLatLng());
    return { x, y, width: markers[key].options.title.length * size.letter + size.edges };
  });
  spread(tags, size.height).forEach((down, i) => {
    markers[keys[i]].getElement()?.style.setProperty('--down', `${Math.round(down)}px`);
  });
  drawScale(map);
}

function drawLines() {
  for (const serial of Object.keys(drawn)) {
    if (drawn[serial].of === lines[serial]) continue;
    drawn[serial].group.remove();
    delete drawn[serial];
  }
  /** @param {number[][]} points  @param {Leaflet.Options} options */
  const line = (points, options) =>
    L.polyline(
      points.map(point => [point[1], point[2]]),
      { weight: 3, interactive: false, ...options },
    );
  for (const [serial, one] of Object.entries(lines)) {
    if (drawn[serial]) continue;
    const both = [
      line(one.track, { color: colour('--ink') }),
      line(one.path, { color: colour('--target'), dashArray: '8 6' }),
    ];
    drawn[serial] = { of: one, group: L.layerGroup(both).addTo(map) };
  }
}

function drawCircles() {
  for (const serial of Object.keys(circles)) {
    if (at(sondes[serial]?.landing) && radiusOf(sondes[serial].landing)) continue;
    circles[serial].remove();
    delete circles[serial];
  }
  for (const { serial, landing } of Object.values(sondes)) {
    const [place, radius] = [at(landing), radiusOf(landing)];
    if (!place || !radius) continue;
    circles[serial] ??= L.circle(place, { radius, fill: false, weight: 3, interactive: false }).addTo(map);
    circles[serial]
      .setLatLng(place)
      .setRadius(radius)
      .setStyle({ color: colour('--target') });
  }
}

export function drawChart() {
  if (!map) return;
  const all = wanted();
  for (const key of Object.keys(markers)) {
    if (all[key]?.place) continue;
    markers[key].remove();
    delete markers[key];
  }
  for (const [key, one] of Object.entries(all)) {
    if (!one.place) continue;
    markers[key] ??= marker(one);
    markers[key].setLatLng(one.place);
    const element = markers[key].getElement();
    cls(element, 'faded', one.isFaded);
    const pin = element.querySelector('.pin');
    cls(pin, 'falling', one.isFalling);
    // A standing car has no course, and then no nose.
    cls(pin, 'still', !u.known(one.course));
    pin.style.setProperty('--course', `${one.course ?? 0}deg`);
  }
  drawLines();
  drawCircles();
  arrange();
  const places = Object.values(markers).map(one => one.getLatLng());
  if (isChosen || !places.length) return;
  const bounds = L.latLngBounds(places);
  const view = map.getSize();
  const isSeen = places.every(place => {
    const { x, y } = map.latLngToContainerPoint(place);
    const isAcross = x >= room.left && x <= view.x - room.right;
    return isAcross && y >= room.above && y <= view.y - room.below;
  });
  const edges = L.point(room.left + room.right, room.above + room.below);
  const zoom = Math.max(0, Math.min(closest, map.getBoundsZoom(bounds, false, edges)));
  // Not at each step: only if one has left the map, or all fit on a closer one.
  if (zoom <= map.getZoom() && isSeen) return;
  map.fitBounds(bounds, {
    paddingTopLeft: [room.left, room.above],
    paddingBottomRight: [room.right, room.below],
    maxZoom: closest,
    animate: false,
  });
}
