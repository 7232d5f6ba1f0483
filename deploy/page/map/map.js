// The map: its layers and markers.
import { $, cls, el, put, sheet } from '../shared/dom.js';
import { aged, carAge, sondeLimit } from '../shared/model.js';
import { chase, flight, heard, landing, listen, position } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { addBase } from './base.js';
import { card, more as showMore } from './card.js';
import { icon, named } from './icons.js';
import { keepPlace, lastPlace } from './last.js';
import { draw as drawLayers, layers as drawnLayers, forget } from './layers.js';
import { drawOthers } from './others.js';
import { isCovered, rasters } from './rasters.js';
import { Replay } from './replay.js';
import { drawScale } from './scale.js';
import { drawStatus } from './status.js';
import { Track } from './track.js';
import { isStill, places, View } from './view.js';
import { centre } from './wrap.js';

/** The names of the layers that are off. */
const off = JSON.parse(localStorage.layersOff || '[]');
/** The raster maps, by name. */
const tiles = {};
const marks = {};
/** The legend: the colours of the layers. */
const colours = {
  ghosts: '#a04bff55',
  error: '#a04bff33',
  sight: '#0a7d6c',
  track: 'linear-gradient(90deg, #1769d2 50%, #d43c1d 50%)',
  path: '#a04bff',
  now: '#a04bff88',
  route: '#0b8f4d',
  line: '#888',
  rings: '#777',
  burst: '#d43c1d',
  others: '#777',
};
/** Where each marker is. */
const drawn = {};
let map;
let view;
let base;
let track;
/** The markers of others. */
let others;
/** Whether the screen was opened once. */
let isOpened = false;

function addMarks() {
  for (const name of ['landing', 'sonde', 'car']) {
    const options = { zIndexOffset: 600, icon: icon(`mark ${name}`, '', 36) };
    marks[name] = named([0, 0], T.names[name], options, () => card(name, places()[name]));
  }
}

// Names the towns where no map does.
const cover = () => base.cover(isCovered());

async function addTiles() {
  Object.assign(tiles, await rasters(cover));
  apply();
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
  map.on('contextmenu', e => card('here', e.latlng));
  base = addBase(map);
  track = new Track(map);
  apply();
  others = L.layerGroup().addTo(map);
  addMarks();
  addTiles();
  listen(() => track.draw(), 'track', 'position');
  view.show(view.mode);
}

const isOn = name => !off.includes(name);

// Adds the layers that are on, and removes the others.
function apply() {
  const all = { ...tiles, base: base.base, grid: base.grid, track: track.group, ...drawnLayers };
  for (const [name, layer] of Object.entries(all)) {
    if (isOn(name)) map.addLayer(layer);
    else map.removeLayer(layer);
  }
  const seen = Object.keys(tiles).filter(isOn);
  cover();
  put($('credit'), u.joined('Leaflet', T.credit, ...seen.map(name => tiles[name].options.credit)));
}

function toggle(name) {
  if (isOn(name)) off.push(name);
  else off.splice(off.indexOf(name), 1);
  localStorage.layersOff = JSON.stringify(off);
  apply();
}

/** Opens the list of layers. */
export function chooseLayers() {
  if (!map) return;
  const names = { ...T.layerNames };
  for (const name in tiles) names[name] = name;
  const row = name => {
    const box = el('input', { type: 'checkbox', checked: isOn(name), onchange: () => toggle(name) });
    const swatch = colours[name] && el('span', { class: 'swatch' });
    if (swatch) swatch.style.background = colours[name];
    return el('label', { class: 'wide' }, box, swatch || '', names[name]);
  };
  sheet(T.layers, ...Object.keys(names).map(row));
}

let player;

/** Shows a recorded flight.  @param {string} serial */
export function replay(serial) {
  if (!map) return;
  player ??= new Replay(map, () => view.hold(false));
  view.hold(true);
  player.show(serial);
}

/** Draws in the colours of day or night. */
export const recolour = () => base?.redraw();
export const nextMode = () => map && view.next();
export const zoom = by => map && view.zoom(by);
export const pan = (x, y) => map && view.pan(x, y);
export const more = () => showMore(map);

/** Call it when the screen is opened: it sets the view that a hidden map could not have. */
export function shownMap() {
  if (!map) return;
  turnAround();
  // They moved while the map was hidden.
  placeMarks(places(), false);
  view.opened();
  if (known() || isOpened) return;
  // The map was made while it had no size.
  const { center, zoom } = firstView();
  map.setView(center, zoom, { animate: false });
  isOpened = true;
}

// Draws all on the side of the earth where the car or the sonde is.
function turnAround() {
  if (!centre(chase()?.car ?? position() ?? flight()?.last ?? landing())) return;
  forget();
  track.redraw();
}

function placeMarks(here, isGliding) {
  for (const [name, place] of Object.entries(here)) {
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
  const here = places();
  placeMarks(here, true);
  marks.sonde.getElement()?.classList.toggle('stale', aged('', heard(), sondeLimit()).isOld);
  const car = marks.car.getElement();
  car?.classList.toggle('stale', aged('', carAge()).isOld);
  const course = chase()?.car.course_deg;
  car?.classList.toggle('still', course == null);
  car?.style.setProperty('--course', `${course ?? 0}deg`);
  view.keepFollowing();
  drawLayers(map, card);
  drawOthers({ map, group: others, isOn: isOn('others'), marks, places: here, card });
  drawScale(map);
}
