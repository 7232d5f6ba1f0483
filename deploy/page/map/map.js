// The map: its layers and markers.
import { $, cls, el, put, sheet } from '../shared/dom.js';
import { aged, carAge, now, sondeLimit } from '../shared/model.js';
import { stored } from '../shared/stored.js';
import { chase, data, flight, heard, landing, listen, position } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { addBase } from './base.js';
import { card, more as showMore } from './card.js';
import { drawings } from './drawings.js';
import { drawHunt, forgetHunt, layers as huntLayers, startHunt } from './hunt.js';
import { named, shaped } from './icons.js';
import { keepPlace, lastPlace } from './last.js';
import { draw as drawLayers, layers as drawnLayers, forget } from './layers.js';
import { drawOthers, forgetOthers } from './others.js';
import { isCovered, rasters, satellite } from './rasters.js';
import { Replay } from './replay.js';
import { offerRoads, roadsRow } from './roads.js';
import { drawScale } from './scale.js';
import { drawing } from './shapes.js';
import { drawStatus } from './status.js';
import { Track } from './track.js';
import { Trail } from './trail.js';
import { isStill, places, View } from './view.js';
import { centre } from './wrap.js';

/**
 * What the crew has chosen: whether a layer is on, by its name.
 * @type {Record<string, boolean>}
 */
const chosen = JSON.parse(stored.read('layers') || '{}');
/** The layers that are off until the crew switches them on. */
const offAtFirst = ['grid', satellite];
/**
 * The raster maps, by name.
 * @type {Record<string, Leaflet.Layer>}
 */
const tiles = {};
/** @type {Record<keyof Here, Leaflet.Layer>} */
const marks = { car: null, sonde: null, landing: null };
/** The legend: how the lines of the layers look, see style/marks.css. */
const swatches = [
  'ghosts',
  'error',
  'sight',
  'trail',
  'track',
  'path',
  'route',
  'line',
  'rings',
  'bearings',
  'signal',
];
/** What is drawn on the map as a marker. */
const pictures = ['now', 'burst', 'landing', 'sonde', 'car'];
/** Who made the base map. Their licences are in the list of layers. */
const makers = ['Natural Earth', 'GSHHG', 'GeoNames'];
/** Metres between the sonde's last place and the landing point below which they are one. */
const samePlace = 100;
/** @typedef {ReturnType<typeof places>} Here */

/**
 * Where each marker is.
 * @type {Record<string, string>}
 */
const drawn = {};
/**
 * The crew's drawings, by the names of their files.
 * @type {Record<string, Leaflet.Layer>}
 */
const files = {};
/**
 * Undefined without Leaflet, and until it is made; so are the others.
 * @type {Leaflet.Map}
 */
let map;
/** @type {View} */
let view;
/** @type {ReturnType<typeof addBase>} */
let base;
/** @type {Track} */
let track;
/** @type {Trail} */
let trail;
/**
 * The markers of others.
 * @type {Leaflet.Layer}
 */
let others;
/** Whether the screen was opened once. */
let isOpened = false;

function addMarks() {
  for (const name of /** @type {Array<keyof Here>} */ (['landing', 'sonde', 'car'])) {
    const options = { zIndexOffset: 600, icon: shaped(name, 40) };
    marks[name] = named([0, 0], T.names[name], options, () => card(name, marks[name].getLatLng()));
  }
}

// Names the towns where no map does.
const cover = () => base.cover(isCovered());

async function addTiles() {
  Object.assign(tiles, await rasters(cover));
  Object.assign(files, await drawings());
  apply();
  if (!tiles.online) offerRoads(addTiles, !Object.keys(tiles).length);
}

// The first place that the reports know.
const known = () => {
  const { car, sonde, landing: land } = places();
  return car ?? land ?? sonde;
};

// Where the map begins: all of Europe if it was nowhere yet.
function firstView() {
  const begin = known() ?? lastPlace();
  return { center: begin ?? [48, 10], zoom: begin ? 10 : 4 };
}

/** Makes the map. */
export function startMap() {
  if (!window.L) return put($('leaf'), T.noLeaflet);
  map = L.map('leaf', {
    zoomControl: false,
    attributionControl: false,
    renderer: L.canvas({ padding: 0.3 }),
    ...firstView(),
    keyboard: false,
    // The layers' own least zoom levels are not the map's.
    minZoom: 1,
    maxZoom: 18,
    fadeAnimation: !isStill,
    zoomAnimation: !isStill,
    inertia: !isStill,
  });
  map.getContainer().setAttribute('role', 'region');
  map.getContainer().setAttribute('aria-label', T.map);
  view = new View(map);
  // No gliding while the whole map moves.
  map.on('viewprereset zoomstart', () => cls($('leaf'), 'gliding', false));
  map.on('contextmenu', (/** @type {{latlng: Leaflet.LatLng}} */ e) => card('here', e.latlng));
  base = addBase(map, hidden);
  track = new Track(map);
  trail = new Trail();
  apply();
  others = L.layerGroup().addTo(map);
  addMarks();
  startHunt();
  addTiles();
  listen(() => track.draw(), 'track', 'position');
  listen(() => trail.follow(), 'chase');
  view.show(view.mode);
}

/** @param {string} name  @returns {boolean} */
const isOn = name => chosen[name] ?? !offAtFirst.includes(name);

// Adds the layers that are on, and removes the others.
function apply() {
  const all = {
    ...tiles,
    base: base.base,
    grid: base.grid,
    trail: trail.group,
    track: track.group,
    ...huntLayers,
    ...drawnLayers,
    ...files,
  };
  for (const [name, layer] of Object.entries(all)) {
    if (isOn(name)) map.addLayer(layer);
    else map.removeLayer(layer);
  }
  const seen = Object.keys(tiles).filter(isOn);
  cover();
  put($('credit'), u.joined('Leaflet', ...makers, ...seen.map(name => tiles[name].options.credit)));
}

/** @param {string} name */
function toggle(name) {
  chosen[name] = !isOn(name);
  stored.keep('layers', JSON.stringify(chosen));
  apply();
}

/**
 * A marker's picture in the legend; nothing for what has none.
 * @param {string} name
 */
const legendMark = name =>
  pictures.includes(name)
    ? el('span', { class: `mark ${name}`, 'aria-hidden': 'true' }, el('span', {}, drawing(name)))
    : '';

/** Opens the list of layers. */
export function chooseLayers() {
  if (!map) return;
  const names = { ...T.layerNames };
  for (const name in { ...tiles, ...files }) names[name] = T.mapNames[name] ?? name;
  /** @param {string} name */
  const row = name => {
    const box = el('input', { type: 'checkbox', checked: isOn(name), onchange: () => toggle(name) });
    const swatch = swatches.includes(name) ? el('span', { class: `swatch of-${name}` }) : legendMark(name);
    return el('label', { class: 'wide' }, box, swatch, names[name]);
  };
  const rows = el('div', { class: 'parts' }, ...Object.keys(names).map(row));
  const marked = ['landing', 'sonde', 'car'].map(name => el('span', {}, legendMark(name), T.names[name]));
  sheet(
    T.layers,
    el('p', { class: 'legend' }, ...marked),
    rows,
    ...roadsRow(),
    el('p', { class: 'dim' }, T.credit),
  ).classList.add('side');
}

/** @type {Replay | undefined} */
let player;

/**
 * Shows a recorded flight.
 * @param {string} serial
 */
export function replay(serial) {
  if (!map) return;
  player ??= new Replay(map, () => view.hold(false));
  view.hold(true);
  player.show(serial);
}

/** Draws in the colours of day or night. */
export function recolour() {
  if (!map) return;
  base.redraw();
  redraw();
}

export const nextMode = () => map && view.next();
/** @param {number} by */
export const zoom = by => map && view.zoom(by);
/** @param {number} x  @param {number} y */
export const pan = (x, y) => map && view.pan(x, y);
export const more = () => showMore(map);

/** Call it when the screen is opened: it sets the view that a hidden map could not have. */
export function shownMap() {
  if (!map) return;
  turnAround();
  // They moved while the map was hidden.
  placeMarks(shownPlaces(), false);
  view.opened();
  if (known() || isOpened) return;
  // The map was made while it had no size.
  const { center, zoom } = firstView();
  map.setView(center, zoom, { animate: false });
  isOpened = true;
}

// Draws all on the side of the earth where the car or the sonde is.
function turnAround() {
  if (centre(chase()?.car ?? position() ?? flight()?.last ?? landing())) redraw();
}

// All lines and markers anew.
function redraw() {
  forget();
  forgetHunt();
  forgetOthers();
  track.redraw();
  trail.redraw();
  for (const layer of Object.values(files)) if (map.hasLayer(layer)) layer.fire('add');
}

/**
 * Whether somebody has seen the sonde land: then it and the landing point are one marker.
 * @param {Here} here
 */
function isGrounded({ sonde, landing: land }) {
  if (data.state?.phase !== 'landed' || now().isGuess || !land) return false;
  return !sonde || map.distance(sonde, land) < samePlace;
}

/** Pixels of a marker around its place, and above it that of a balloon. */
const size = { mark: 18, balloon: 48, tag: 22 };

/** What no name of a town may hide: the markers, and the landing point's tag. */
function hidden() {
  const tag = document.querySelector('.tag span');
  const width = tag instanceof HTMLElement ? size.tag + tag.offsetWidth : 0;
  const isLeft = !!tag?.closest('.left');
  /** @param {string} name  @param {boolean} side */
  const reach = (name, side) =>
    name === 'landing' && isLeft === side ? Math.max(size.mark, width) : size.mark;
  return Object.entries(shownPlaces())
    .filter(([, place]) => place)
    .map(([name, place]) => ({
      place,
      left: reach(name, true),
      right: reach(name, false),
      above: name === 'sonde' ? size.balloon : size.mark,
    }));
}

/** Where the markers are: always at their true places. */
function shownPlaces() {
  const here = places();
  return isGrounded(here) ? { ...here, sonde: null } : here;
}

/** @param {Here} here  @param {boolean} isGliding */
function placeMarks(here, isGliding) {
  for (const name of /** @type {Array<keyof Here>} */ (Object.keys(here))) {
    const place = here[name];
    if (String(place) === drawn[name]) continue;
    drawn[name] = String(place);
    cls($('leaf'), 'gliding', isGliding);
    if (place) marks[name].setLatLng(place).addTo(map);
    else marks[name].remove();
  }
}

/** Draws what changed, if the map is shown. */
export function drawMap() {
  if (map) keepPlace(known());
  if ($('map').hidden) return;
  drawStatus();
  if (!map) return;
  turnAround();
  const here = shownPlaces();
  placeMarks(here, true);
  const sonde = marks.sonde.getElement();
  sonde?.classList.toggle('stale', aged('', heard(), sondeLimit()).isOld);
  sonde?.classList.toggle('falling', /^descending/.test(data.state?.phase ?? ''));
  marks.landing.getElement()?.classList.toggle('grounded', isGrounded(places()));
  const car = marks.car.getElement();
  car?.classList.toggle('stale', aged('', carAge()).isOld);
  const course = chase()?.car.course_deg;
  car?.classList.toggle('still', course == null);
  car?.style.setProperty('--course', `${course ?? 0}deg`);
  view.keepFollowing();
  drawLayers(map, card);
  drawHunt(isOn, card);
  const mains = Object.values(here).filter(Boolean);
  drawOthers({ map, group: others, isOn: isOn('others'), mains, card });
  drawScale(map);
}
