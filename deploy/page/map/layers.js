// The layers below the markers. Each is redrawn only after a change.
import { landingTime, landingTown, whenText } from '../drive/words.js';
import { $ } from '../shared/dom.js';
import { now } from '../shared/model.js';
import { chase, data, flight, horizon, landing, position, prediction, route } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { along, beside } from './beside.js';
import { colour, dot, label, line, outline, pair, ring } from './icons.js';
import { metresOfPixel } from './scale.js';

const metresOfDegree = 111195;
/** Range rings, in kilometres or miles. */
const ranges = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500];
/** The most earlier landing points with a ring. */
const mostGhosts = 10;
/**
 * Pixels between a ring's label and the middle or the next label, a time and a marker, two times; those of a sign and
 * of a text's frame. `under` is the widest text below the landing point, as a share of the screen's width.
 */
const room = { ring: 40, marker: 40, time: 60, sign: 8.5, frame: 14, under: 0.46 };
/** The corners of the road that a text may not hide: the last ones. */
const mostCorners = 60;

/**
 * The layers by name, from bottom to top.
 * @type {Record<string, Leaflet.Layer>}
 */
export const layers = {};
if (window.L) {
  for (const name of ['ghosts', 'error', 'sight', 'path', 'now', 'route', 'line', 'rings', 'burst', 'tag']) {
    layers[name] = L.layerGroup();
  }
}

/**
 * What each layer shows.
 * @type {Record<string, string>}
 */
const shown = {};

/** @typedef {Report.Landing['history'][number]} Ghost  An earlier landing point. */
/** @typedef {(name: string, place: Placed, more?: string[]) => () => void} Open  Makes what opens a card. */

/** @param {?Placed | undefined} place */
const keyOf = place => place && pair(place);

/**
 * Empties a layer that must be drawn anew. Returns whether to draw it.
 * @param {string} name
 * @param {unknown} isThere
 * @param {...unknown} values
 */
function fresh(name, isThere, ...values) {
  const key = [!!isThere, ...values].join();
  if (shown[name] === key) return false;
  shown[name] = key;
  layers[name].clearLayers();
  return !!isThere;
}

/** @param {string} name  @param {...Leaflet.Layer} made */
function put(name, ...made) {
  for (const one of made) {
    one.addTo(layers[name]);
    // Circles lie below the track.
    if (['ghosts', 'error', 'sight'].includes(name)) one.bringToBack?.();
  }
}

/**
 * The earlier landing points that get a ring and their time, the newest first: no marker and no other ring is near.
 * @param {Leaflet.Map} map
 * @param {Ghost[]} ghosts
 */
function ringed(map, ghosts) {
  /** @param {Placed} place */
  const pixels = place => map.project(pair(place), map.getZoom());
  const mine = [chase()?.car, position() ?? flight()?.last, landing()];
  const taken = mine.flatMap(place => place ?? []).map(pixels);
  const marks = taken.length;
  return ghosts
    .slice()
    .reverse()
    .filter(ghost => {
      const at = pixels(ghost);
      const isFree = taken.every((other, i) => other.distanceTo(at) >= (i < marks ? room.marker : room.time));
      if (isFree) taken.push(at);
      return isFree;
    })
    .slice(0, mostGhosts);
}

/**
 * Once the sonde is down, nobody drives to a place where it was expected before.
 * @param {Leaflet.Map} map
 * @param {Open} open
 */
function drawGhosts(map, open) {
  const isDown = data.state?.phase === 'landed';
  const l = landing();
  const ghosts = isDown ? [] : (l?.history || []).slice(0, -1);
  const rings = ringed(map, ghosts);
  const times = rings.map(one => one.time);
  if (!fresh('ghosts', ghosts[0], ghosts.at(-1)?.time, map.getZoom(), times)) return;
  // The way that the prediction took, to today's landing point.
  const way = [...ghosts, ...(l ? [l] : [])].map(pair);
  put('ghosts', line(way, { color: '--target', weight: 2, opacity: 0.5 }));
  rings.forEach((ghost, i) => {
    const when = whenText(ghost.time);
    const style = { radius: 6, weight: 2, color: colour('--target'), opacity: 0.9 - 0.06 * i, fill: false };
    const act = open('ghost', ghost, when ? [when] : []);
    put('ghosts', L.circleMarker(pair(ghost), style).on('click', act));
    if (when) put('ghosts', label(pair(ghost), when));
  });
}

function drawError() {
  const l = landing();
  const [half, most] = [l?.error_radius_50_m ?? 0, l?.error_radius_90_m ?? 0];
  if (!fresh('error', l, keyOf(l), l?.source, half, most) || !l) return;
  // Outlines only: a filled circle hides the map, and that of an early prediction all of it.
  const style = { color: '--target', weight: 2.5 };
  if (half > 0) put('error', outline(pair(l), half, style));
  // Where bearings cross, an ellipse says more.
  if (most > 0 && l.source !== 'bearings') {
    put('error', outline(pair(l), most, { ...style, weight: 2, dashArray: '9 7' }));
  }
}

/**
 * The corners of the way to the target that lie nearest to it.
 * @param {Placed} place
 * @returns {Placed[]}
 */
function wayTo(place) {
  const road = route()?.geometry.coordinates.slice(-mostCorners);
  if (road) return road.map(([longitude, latitude]) => ({ latitude, longitude }));
  const car = chase()?.car;
  return car ? [car, place] : [];
}

/**
 * The side of the landing point on which its text stands.
 * @param {Leaflet.Map} map
 * @param {Placed} place
 * @param {string} text
 * @returns {import('./beside.js').Side}
 */
function sideOf(map, place, text) {
  /** @param {Placed} one */
  const pixel = one => map.latLngToContainerPoint(pair(one));
  const box = $('box').getBoundingClientRect();
  const right = $('buttons').getBoundingClientRect().left - box.left;
  const marks = [chase()?.car, position() ?? flight()?.last].flatMap(one => one ?? []).map(pixel);
  const free = { left: 4, top: 4, right: right - 4, bottom: box.height - 4 };
  const width = text.length * room.sign + room.frame;
  return beside(pixel(place), width, innerWidth * room.under, free, marks, along(wayTo(place).map(pixel)));
}

/**
 * When it lands, and where in words. On the ground: how high.
 * @param {Leaflet.Map} map
 */
function drawTag(map) {
  const l = landing();
  const isDown = data.state?.phase === 'landed' && l?.source === 'observed';
  const height = isDown && u.known(l.altitude_m) && u.text(u.height(l.altitude_m));
  const text = u.joined(isDown ? data.state?.serial : landingTime(l), height, landingTown(l));
  const side = l && text ? sideOf(map, l, text) : '';
  if (fresh('tag', l && text, keyOf(l), text, side) && l) put('tag', label(pair(l), text, `tag ${side}`));
}

// The sonde's radio range, with refraction: by the heights of the ground, or a circle.
function drawSight() {
  const p = position();
  const style = { color: '--ink-3', dashArray: '2 8' };
  const h = horizon();
  if (h) {
    if (!fresh('sight', p, h.computed_at)) return;
    const places = h.ring.map(([latitude, longitude]) => pair({ latitude, longitude }));
    put('sight', line(places.concat([places[0]]), { ...style, weight: 1.5 }));
    return;
  }
  const range = 4120 * Math.sqrt(Math.max(0, p?.altitude_m ?? 0));
  const place = [p?.latitude.toFixed(2), p?.longitude.toFixed(2), Math.round(range / 1000)];
  if (!fresh('sight', range, ...place) || !p) return;
  put('sight', outline(pair(p), range, style));
}

/** @param {Open} open */
function drawPrediction(open) {
  const p = prediction();
  if (fresh('path', p?.path?.length, p?.computed_at) && p) {
    const places = p.path.map(([, latitude, longitude]) => pair({ latitude, longitude }));
    put('path', line(places, { color: '--target', weight: 3.5, dashArray: '9 6' }));
  }
  const early = p?.if_burst_now ?? p?.own_winds?.if_burst_now;
  if (fresh('now', early, keyOf(early)) && early) {
    put('now', dot(pair(early), 'now', T.layerNames.now, open('now', early)));
  }
}

function drawRoute() {
  const r = route();
  if (!fresh('route', r, r?.properties?.computed_at) || !r) return;
  const places = r.geometry.coordinates.map(([longitude, latitude]) => pair({ latitude, longitude }));
  put('route', line(places, { color: '--car', weight: 5 }));
}

function drawStraightLine() {
  const car = chase()?.car;
  const target = now().target === 'sonde' ? (position() ?? flight()?.last) : landing();
  if (!fresh('line', car && target, keyOf(car), keyOf(target)) || !car || !target) return;
  put('line', line([pair(car), pair(target)], { color: '--ink-3', weight: 1.5, dashArray: '2 7' }));
}

/**
 * Three rings; the largest fills about half the screen.
 * @param {Leaflet.Map} map
 */
function drawRings(map) {
  const middle = chase()?.car || position();
  const zoom = map.getZoom();
  // Their labels are beside the way to the target, where the markers are not.
  const { landing: land, sonde } = chase() ?? {};
  const side = (u.octant(((land ?? sonde)?.bearing_deg ?? 270) + 90) * Math.PI) / 4;
  if (!fresh('rings', middle, u.place(middle), zoom, u.units(), side) || !middle) return;
  const pixel = metresOfPixel(middle.latitude, zoom);
  const most = (pixel * Math.min(innerWidth, innerHeight) * 0.75) / u.far();
  /** @type {import('./towns.js').Ring[]} */
  const named = [];
  let inner = 0;
  for (const range of ranges.filter(k => k <= most).slice(-3)) {
    const metres = range * u.far();
    const latitude = middle.latitude + (metres * Math.cos(side)) / metresOfDegree;
    const width = metresOfDegree * Math.cos((middle.latitude * Math.PI) / 180);
    const place = pair({ latitude, longitude: middle.longitude + (metres * Math.sin(side)) / width });
    const style = { color: '--ink-3', dashArray: '1 5' };
    put('rings', ring(pair(middle), metres, style));
    if ((metres - inner) / pixel < room.ring) continue;
    inner = metres;
    const text = u.text(u.distance(metres));
    put('rings', label(place, text));
    named.push([text, place]);
  }
  map.fire('rings', { named });
}

/** @param {Open} open */
function drawBurst(open) {
  const observed = flight()?.burst;
  const burst = observed || prediction()?.burst;
  if (!fresh('burst', burst, keyOf(burst), !observed) || !burst) return;
  const act = open('burst', burst, [u.text(u.height(burst.altitude_m))]);
  put('burst', dot(pair(burst), observed ? 'burst' : 'burst guess', T.layerNames.burst, act));
}

/** Draws all layers anew the next time. */
export function forget() {
  for (const name in shown) delete shown[name];
}

/**
 * Draws the layers that changed.
 * @param {Leaflet.Map} map
 * @param {(name: string, at: Leaflet.LatLng, more?: string[]) => void} card  Opens the card of a place.
 */
export function draw(map, card) {
  /** @type {Open} */
  const open = (name, place, more) => () => card(name, L.latLng(pair(place)), more);
  drawGhosts(map, open);
  drawError();
  drawTag(map);
  drawSight();
  drawPrediction(open);
  drawRoute();
  drawStraightLine();
  drawRings(map);
  drawBurst(open);
}
