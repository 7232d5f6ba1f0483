// The map without tiles: coast, borders, towns, graticule. Drawn as tiles for fast panning.
import { body } from '../shared/dom.js';
import { json } from '../shared/stream.js';
import { plain } from '../shared/units.js';
import { labels } from './graticule.js';
import { label } from './icons.js';

/**
 * A coast, from 0 to 1 across.
 * @typedef {{ring: Float64Array, box: [number, number, number, number]}} Ring
 */

const colour = name => getComputedStyle(body).getPropertyValue(name);

/** Pixels of a tile's side. */
const side = 256;
/** Pixels of the graticule's letters. */
const letter = 14;
/** Degrees between the graticule's lines, by zoom. */
const steps = [30, 30, 20, 10, 10, 5, 2, 1, 1, 0.5, 0.2, 0.1, 0.1, 0.05, 0.02];
/** The most towns that are named at once. */
const mostTowns = 40;
/** Pixels that a town's name takes. */
const letterWidth = 10;
const nameHeight = 28;

/** @type {Ring[]} */
let rings = [];

// Reads base/make.py's format: zigzag numbers, 7 bits a byte.
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.index = 0;
  }

  get isAtEnd() {
    return this.index >= this.bytes.length;
  }

  number() {
    let value = 0;
    let shift = 0;
    let byte;
    do {
      byte = this.bytes[this.index];
      this.index++;
      value += (byte & 127) * 2 ** shift;
      shift += 7;
    } while (byte & 128);
    return value;
  }

  signed() {
    const v = this.number();
    return v & 1 ? -(v + 1) / 2 : v / 2;
  }
}

/** A latitude's place on the Mercator map, from 0 in the north to 1. */
function mercator(latitude) {
  const sine = Math.sin((Math.min(85.05, Math.max(-85.05, latitude)) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/** @returns {Ring[]}  The file has the places in 1/200 degree, each from the last. */
function decode(bytes) {
  const reader = new Reader(bytes);
  const found = [];
  while (!reader.isAtEnd) {
    const count = reader.number();
    const ring = new Float64Array(count * 2);
    /** @type {[number, number, number, number]} */
    const box = [2, 2, -1, -1];
    let x = 0;
    let y = 0;
    for (let k = 0; k < count; k++) {
      x += reader.signed();
      y += reader.signed();
      const px = x / 72000 + 0.5;
      const py = mercator(y / 200);
      ring[2 * k] = px;
      ring[2 * k + 1] = py;
      box[0] = Math.min(box[0], px);
      box[1] = Math.min(box[1], py);
      box[2] = Math.max(box[2], px);
      box[3] = Math.max(box[3], py);
    }
    found.push({ ring, box });
  }
  return found;
}

// A layer whose tiles `draw` draws.
const tiles = draw =>
  window.L?.GridLayer.extend({
    createTile(place) {
      const tile = L.DomUtil.create('canvas', '');
      const ratio = Math.min(2, devicePixelRatio);
      tile.width = side * ratio;
      tile.height = side * ratio;
      const g = tile.getContext('2d');
      g.scale(ratio, ratio);
      draw(g, place, 2 ** place.z, this._map);
      return tile;
    },
  });

// Draws a ring, without the points that are less than a pixel apart.
function drawRing(g, ring, west, north, scale) {
  let lastX = Infinity;
  let lastY = Infinity;
  g.beginPath();
  for (let k = 0; k < ring.length; k += 2) {
    const x = (ring[k] - west) * scale;
    const y = (ring[k + 1] - north) * scale;
    if (Math.abs(x - lastX) + Math.abs(y - lastY) < 1) continue;
    g.lineTo(x, y);
    lastX = x;
    lastY = y;
  }
  g.closePath();
  g.fill();
  g.stroke();
}

const Land = tiles((g, place, count) => {
  g.fillStyle = colour('--sea');
  g.fillRect(0, 0, side, side);
  g.fillStyle = colour('--land');
  g.strokeStyle = colour('--edge');
  g.lineWidth = 1.2;
  const [west, north, east, south] = [place.x, place.y, place.x + 1, place.y + 1].map(v => v / count);
  for (const { ring, box } of rings) {
    if (box[0] > east || box[2] < west || box[1] > south || box[3] < north) continue;
    drawRing(g, ring, west, north, count * side);
  }
});

function drawLine(g, x0, y0, x1, y1) {
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
}

const degrees = v => `${plain(+v.toFixed(2))}°`;

const Lines = tiles((g, place, _count, map) => {
  const step = steps[place.z] || 0.01;
  const first = map.unproject([place.x * side, place.y * side], place.z);
  const last = map.unproject([(place.x + 1) * side, (place.y + 1) * side], place.z);
  g.strokeStyle = colour('--grid');
  g.fillStyle = colour('--dim');
  g.font = `${letter}px sans-serif`;
  g.textBaseline = 'top';
  const named = (k, at) => {
    const text = degrees(k * step);
    return { at, text, width: g.measureText(text).width };
  };
  const longitudes = [];
  const latitudes = [];
  for (let k = Math.ceil(first.lng / step); k * step < last.lng; k++) {
    const x = map.project([0, k * step], place.z).x - place.x * side;
    drawLine(g, x, 0, x, side);
    if (place.y % 2 === 0) longitudes.push(named(k, x));
  }
  for (let k = Math.ceil(last.lat / step); k * step < first.lat; k++) {
    const y = map.project([k * step, 0], place.z).y - place.y * side;
    drawLine(g, 0, y, side, y);
    if (place.x % 2 === 0) latitudes.push(named(k, y));
  }
  for (const { text, left, top } of labels(longitudes, latitudes, side, letter)) g.fillText(text, left, top);
});

// Names the largest towns that have room.
class Towns {
  constructor(map) {
    this.map = map;
    this.layer = L.layerGroup();
    /** [name, latitude, longitude, population], the largest first. */
    this.all = [];
    this.isCovered = false;
    /** The text and the place of each label of the range rings. No town is named below one. */
    this.rings = [];
    map.on('moveend', () => this.follow());
    map.on('rings', ({ named }) => this.avoid(named));
  }

  // The rings follow the car each second; the towns are named again only if other rings are drawn.
  avoid(rings) {
    const isSame = rings.map(([text]) => text).join() === this.rings.map(([text]) => text).join();
    this.rings = rings;
    if (!isSame) this.name();
  }

  /** The pixels that a text takes. */
  box(text, place) {
    const { x: left, y: middle } = this.map.latLngToContainerPoint(place);
    return { left, right: left + (text.length + 2) * letterWidth, middle };
  }

  // Skips small moves.
  follow() {
    const zoom = this.map.getZoom();
    const at = this.map.project(this.map.getBounds().getCenter());
    if (this.last?.zoom === zoom && this.last.at.distanceTo(at) < 99) return;
    this.name();
  }

  name() {
    const zoom = this.map.getZoom();
    const view = this.map.getBounds();
    this.last = { zoom, at: this.map.project(view.getCenter()) };
    this.layer.clearLayers();
    if (zoom < 5 || this.isCovered) return;
    const [west, south, east, north] = view.toBBoxString().split(',').map(Number);
    const named = this.rings.map(([text, place]) => this.box(text, place));
    const most = mostTowns + named.length;
    for (const [text, y, x] of this.all) {
      if (x < west || x > east || y < south || y > north) continue;
      const { left, right, middle } = this.box(text, [y, x]);
      const hides = one => left < one.right && one.left < right && Math.abs(middle - one.middle) < nameHeight;
      if (named.some(hides)) continue;
      named.push({ left, right, middle });
      if (named.length > most) break;
      label([y, x], text, 'town').addTo(this.layer);
    }
  }
}

async function loadLand() {
  try {
    const answer = await fetch('/base/world.bin');
    rings = decode(new Uint8Array(await answer.arrayBuffer()));
  } catch {
    // The map stays without coasts.
  }
}

/** Adds coast, borders, towns and graticule to the map. */
export function addBase(map) {
  const land = new Land({ zIndex: 1 });
  const grid = new Lines({ zIndex: 3 });
  const towns = new Towns(map);
  loadLand().then(() => land.redraw());
  json('/base/towns.json').then(cells => {
    towns.all = Object.values(cells ?? {})
      .flat()
      .sort((a, b) => b[3] - a[3]);
    towns.name();
  });
  return {
    base: L.layerGroup([land, towns.layer]),
    grid,
    /** Draws in the colours of day or night. */
    redraw() {
      land.redraw();
      grid.redraw();
    },
    /** Tiles have their own towns. */
    cover(isCovered) {
      if (isCovered === towns.isCovered) return;
      towns.isCovered = isCovered;
      towns.name();
    },
  };
}
