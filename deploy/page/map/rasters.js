// The raster maps: files of the box, and roads from a tile server.
import { json } from '../shared/stream.js';

/** Milliseconds until a tile that the gateway does not have yet is asked for again. */
const waits = [700, 1500, 3000, 6000, 12000];

/** A map is shrunk by so many levels, and not drawn below. */
const mostShrunk = 2;

/** The map of pictures from above. It hides the roads, so the crew switches it on. */
export const satellite = 'online-satellite';

// Leaflet fills the screen with tiles of the lowest level, however far out the map is: at zoom 4 with millions of
// those of level 16. Its option `minZoom` does not help while `minNativeZoom` is set, because it first raises the
// zoom and compares it then.
const Raster = window.L?.TileLayer.extend({
  /** @param {number} zoom */
  _clampZoom(zoom) {
    return zoom < this.options.minZoom ? zoom : L.TileLayer.prototype._clampZoom.call(this, zoom);
  },
});

/**
 * The gateway fetches a tile that it does not have, and answers at once that there is none yet.
 * @param {{tile: HTMLImageElement}} event
 */
function askAgain({ tile }) {
  const asked = +(tile.dataset.asked ?? 0);
  if (asked >= waits.length) return;
  tile.dataset.asked = String(asked + 1);
  // The layer's own address for the tile is another one once the map has zoomed.
  const address = tile.src;
  setTimeout(() => {
    if (tile.isConnected && tile.src === address) tile.src = address;
  }, waits[asked]);
}

/**
 * Makes a layer for each map. Its option `credit` says who made it.
 * @param {() => void} changed  Tiles have come.
 * @returns {Promise<Record<string, Leaflet.Layer>>}  By name.
 */
export async function rasters(changed) {
  /** @type {Record<string, Leaflet.Layer>} */
  const layers = {};
  for (const { name, min, max, bounds: b, attribution, online } of (await json('maps.json')) ?? []) {
    const bounds = b && L.latLngBounds([b[1], b[0]], [b[3], b[2]]);
    layers[name] = new Raster(`maps/${encodeURIComponent(name)}/{z}/{x}/{y}`, {
      minZoom: Math.max(0, min - mostShrunk),
      minNativeZoom: min,
      maxNativeZoom: max,
      zIndex: name === satellite ? 3 : 2,
      className: name === satellite ? 'tiles photo' : 'tiles',
      credit: attribution,
      ...(bounds ? { bounds } : {}),
    }).on('load', changed);
    if (online) layers[name].on('tileerror', askAgain).on('tileload', changed);
  }
  return layers;
}

/** Whether a map shows something, so that its own towns are enough. */
export const isCovered = () => !!document.querySelector('.tiles .leaflet-tile-loaded');
