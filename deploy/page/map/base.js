// The map without tiles: coast, borders, lakes, rivers, places, graticule. Drawn as tiles for fast panning.
import { body } from '../shared/dom.js';
import { plain } from '../shared/units.js';
import { Boxes, boxZoom, bytes } from './boxes.js';
import { inFrames } from './frames.js';
import { labels } from './graticule.js';
import { decode, kinds } from './outlines.js';
import { Towns, usesBoxes } from './towns.js';

/** @param {string} name */
const colour = name => getComputedStyle(body).getPropertyValue(name);

/** Pixels of a tile's side. */
const side = 256;
/** Pixels of the graticule's letters. */
const letter = 14;
/** Degrees between the graticule's lines, by zoom. */
const steps = [30, 30, 20, 10, 10, 5, 2, 1, 1, 0.5, 0.2, 0.1, 0.1, 0.05, 0.02];
/** Brooks are drawn from this zoom level on. */
const brookZoom = 9;

/** @typedef {import('./boxes.js').Box} Box */
/** @typedef {import('./outlines.js').Content} Content */
/** @typedef {import('./outlines.js').Outline} Outline */
/** @typedef {{world: ?Content, boxes: Boxes}} Drawn  What is drawn, as far as it is loaded. */
/** @typedef {{g: CanvasRenderingContext2D, west: number, north: number, scale: number, zoom: number}} Tile */

/**
 * A layer whose tiles `draw` draws, some in each frame. `repaint` draws those again that are shown.
 * @param {(g: CanvasRenderingContext2D, place: Leaflet.Point, map: Leaflet.Map, options: Leaflet.Options) => void} draw
 */
const tiles = draw =>
  window.L?.GridLayer.extend({
    /** @param {Leaflet.Point} place  @param {(error: null, tile: HTMLCanvasElement) => void} done */
    createTile(place, done) {
      const tile = L.DomUtil.create('canvas', '');
      const ratio = Math.min(2, devicePixelRatio);
      tile.width = side * ratio;
      tile.height = side * ratio;
      tile.getContext('2d').scale(ratio, ratio);
      tile.place = place;
      // Until it is drawn, Leaflet shows that of the last zoom level. It may be gone by then.
      inFrames(() => {
        if (!tile.isConnected || !this._map) return;
        this.paint(tile);
        done(null, tile);
      });
      return tile;
    },
    /** @param {any} tile  A canvas with its place. */
    paint(tile) {
      draw(tile.getContext('2d'), tile.place, this._map, this.options);
    },
    repaint() {
      for (const tile of this.getContainer()?.querySelectorAll('canvas') ?? []) this.paint(tile);
    },
  });

/**
 * Adds a line to the path, without the points that are less than a pixel apart.
 * @param {Tile} tile
 * @param {Content} content
 * @param {Outline} outline
 */
function trace({ g, west, north, scale }, { origin }, { points }) {
  const left = origin[0] - west;
  const top = origin[1] - north;
  let lastX = Infinity;
  let lastY = Infinity;
  for (let k = 0; k < points.length; k += 2) {
    const x = (left + points[k]) * scale;
    const y = (top + points[k + 1]) * scale;
    const isFirst = k === 0;
    const isLast = k === points.length - 2;
    if (!isFirst && !isLast && Math.abs(x - lastX) + Math.abs(y - lastY) < 1) continue;
    if (isFirst) g.moveTo(x, y);
    else g.lineTo(x, y);
    lastX = x;
    lastY = y;
  }
}

/**
 * The outlines of one kind that meet the tile.
 * @param {Tile} tile
 * @param {Content} content
 * @param {number} kind
 */
function meeting({ west, north, scale }, { origin, outlines }, kind) {
  const [left, top] = [west - origin[0], north - origin[1]];
  const width = side / scale;
  return (outlines[kind] ?? []).filter(
    ({ box }) => box[0] <= left + width && box[2] >= left && box[1] <= top + width && box[3] >= top,
  );
}

/**
 * Draws all outlines of one kind as one path.
 * @param {Tile} tile
 * @param {Content} content
 * @param {number} kind
 */
function path(tile, content, kind) {
  tile.g.beginPath();
  for (const outline of meeting(tile, content, kind)) trace(tile, content, outline);
}

/** @param {Tile} tile  @param {?Content} world */
function drawWorld(tile, world) {
  const { g } = tile;
  g.fillStyle = colour('--water');
  g.fillRect(0, 0, side, side);
  if (!world) return;
  g.fillStyle = colour('--land');
  g.strokeStyle = colour('--frontier');
  g.lineWidth = 1.2;
  // Each country by itself: two of them share a border.
  for (const outline of meeting(tile, world, kinds.land)) {
    g.beginPath();
    trace(tile, world, outline);
    g.closePath();
    g.fill();
    g.stroke();
  }
}

/**
 * Draws a box over the world's coarse outlines.
 * @param {Tile} tile
 * @param {Box} box
 */
function drawBox(tile, box) {
  const { g, west, north, scale, zoom } = tile;
  const [left, right] = [box.area[0], box.area[2]].map(x => Math.round((x - west) * scale));
  const [top, bottom] = [box.area[1], box.area[3]].map(y => Math.round((y - north) * scale));
  if (right <= 0 || left >= side || bottom <= 0 || top >= side) return;
  g.save();
  g.beginPath();
  g.rect(left, top, right - left, bottom - top);
  g.clip();
  g.fillStyle = colour('--land');
  g.fillRect(left, top, right - left, bottom - top);
  g.lineJoin = 'round';
  g.strokeStyle = colour('--river');
  if (zoom >= brookZoom) {
    g.lineWidth = zoom < 11 ? 0.8 : 1.4;
    path(tile, box, kinds.brook);
    g.stroke();
  }
  g.lineWidth = zoom < 10 ? 1.4 : 2.4;
  path(tile, box, kinds.river);
  g.stroke();
  path(tile, box, kinds.water);
  g.fillStyle = colour('--water');
  g.fill('evenodd');
  // Half of the line is outside; the box's own edge is hidden by the clip and a line that lies on it.
  drawShores(tile, box, [left, top, right, bottom]);
  g.strokeStyle = colour('--frontier');
  g.lineWidth = 1.4;
  g.setLineDash([9, 3, 2, 3]);
  path(tile, box, kinds.border);
  g.stroke();
  g.restore();
}

/**
 * The sea ends at the box's edge, but no shore is there.
 * @param {Tile} tile
 * @param {Box} box
 * @param {number[]} edge  Left, top, right, bottom.
 */
function drawShores(tile, box, edge) {
  const { g, west, north, scale } = tile;
  const [left, top] = [box.origin[0] - west, box.origin[1] - north];
  g.strokeStyle = colour('--shore');
  g.lineWidth = 1.2;
  g.beginPath();
  for (const { points } of meeting(tile, box, kinds.water)) {
    let last = [-1e9, -1e9];
    for (let k = 0; k < points.length; k += 2) {
      const at = [(left + points[k]) * scale, (top + points[k + 1]) * scale];
      const isOnEdge = edge.some(
        (line, i) => Math.abs(at[i % 2] - line) < 1.5 && Math.abs(last[i % 2] - line) < 1.5,
      );
      const isClose = Math.abs(at[0] - last[0]) + Math.abs(at[1] - last[1]) < 1;
      if (isClose && k < points.length - 2) continue;
      if (k === 0 || isOnEdge) g.moveTo(at[0], at[1]);
      else g.lineTo(at[0], at[1]);
      last = at;
    }
  }
  g.stroke();
}

const Land = tiles((g, place, _map, options) => {
  /** @type {Drawn} */
  const content = options.content;
  const count = 2 ** place.z;
  const tile = { g, west: place.x / count, north: place.y / count, scale: count * side, zoom: place.z };
  drawWorld(tile, content.world);
  if (place.z >= boxZoom) for (const box of content.boxes.here) drawBox(tile, box);
});

/**
 * @param {CanvasRenderingContext2D} g
 * @param {number} x0
 * @param {number} y0
 * @param {number} x1
 * @param {number} y1
 */
function drawLine(g, x0, y0, x1, y1) {
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
}

/** @param {number} v */
const degrees = v => `${plain(+v.toFixed(2))}°`;

const Lines = tiles((g, place, map) => {
  g.clearRect(0, 0, side, side);
  const step = steps[place.z] || 0.01;
  const first = map.unproject([place.x * side, place.y * side], place.z);
  const last = map.unproject([(place.x + 1) * side, (place.y + 1) * side], place.z);
  g.strokeStyle = colour('--grid');
  g.fillStyle = colour('--ink-2');
  g.font = `${letter}px sans-serif`;
  g.textBaseline = 'top';
  /** @param {number} k  @param {number} at */
  const named = (k, at) => {
    const text = degrees(k * step);
    return { at, text, width: g.measureText(text).width };
  };
  /** @type {import('./graticule.js').Wanted[]} */
  const longitudes = [];
  /** @type {import('./graticule.js').Wanted[]} */
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

/**
 * Adds coast, lakes, rivers, borders, places and graticule to the map. Their files are loaded when the map is shown.
 * @param {Leaflet.Map} map
 * @param {() => import('./towns.js').Mark[]} marks  What no name may hide.
 */
export function addBase(map, marks = () => []) {
  /** @type {Drawn} */
  const content = { world: null, boxes: new Boxes(() => changed()) };
  const land = new Land({ zIndex: 1, content });
  const grid = new Lines({ zIndex: 3 });
  const known = () =>
    usesBoxes(map) ? content.boxes.here.map(box => box.places) : [content.world?.places ?? []];
  const towns = new Towns(map, known, marks);
  const changed = () => {
    land.repaint();
    towns.nameSoon();
  };
  let isAsked = false;
  const load = async () => {
    if (!map.getSize().x) return;
    if (usesBoxes(map)) {
      const [west, south, east, north] = map.getBounds().toBBoxString().split(',').map(Number);
      content.boxes.show(west, south, east, north);
    }
    if (isAsked) return;
    isAsked = true;
    const file = await bytes('base/world.bin');
    // The next move asks again.
    isAsked = file != null;
    if (!file) return;
    content.world = decode(file, null);
    changed();
  };
  map.on('moveend resize', load);
  load();
  return {
    base: L.layerGroup([land, towns.layer]),
    grid,
    /** Draws in the colours of day or night. */
    redraw() {
      land.repaint();
      grid.repaint();
    },
    /**
     * Tiles have their own towns.
     * @param {boolean} isCovered
     */
    cover(isCovered) {
      if (isCovered === towns.isCovered) return;
      towns.isCovered = isCovered;
      towns.nameSoon();
    },
  };
}
