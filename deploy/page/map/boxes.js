// The boxes of the base map: those in the view are loaded, those that were not seen for long are forgotten.
import { json } from '../shared/stream.js';
import { decode, mercator } from './outlines.js';

/** Degrees of a box's side. */
const side = 5;
/** The most boxes in memory. */
const most = 16;
/** The boxes are drawn from this zoom level on: then few of them are in a view. */
export const boxZoom = 8;

/** @typedef {import('./outlines.js').Content & {area: [number, number, number, number]}} Box  West, north, east, south, 0 to 1. */

/**
 * The name of the box of a place's south-west corner, like N45E005.
 * @param {number} west
 * @param {number} south
 */
export function boxName(west, south) {
  /** @param {number} number  @param {number} length */
  const pad = (number, length) => String(Math.abs(number)).padStart(length, '0');
  return `${south < 0 ? 'S' : 'N'}${pad(south, 2)}${west < 0 ? 'W' : 'E'}${pad(west, 3)}`;
}

/**
 * The corners of the boxes within some degrees. Longitudes may lie beyond 180.
 * @param {number} west
 * @param {number} south
 * @param {number} east
 * @param {number} north
 * @returns {Array<{west: number, south: number}>}
 */
export function corners(west, south, east, north) {
  const found = [];
  for (let y = Math.floor(south / side) * side; y < north; y += side) {
    for (let x = Math.floor(west / side) * side; x < east; x += side) {
      found.push({ west: ((((x + 180) % 360) + 360) % 360) - 180, south: y });
    }
  }
  return found;
}

/**
 * Fetches a file of the base map.
 * @param {string} path
 * @returns {Promise<?Uint8Array>}
 */
export async function bytes(path) {
  try {
    const answer = await fetch(path);
    return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
  } catch {
    return null;
  }
}

export class Boxes {
  /** @param {(area: Box['area']) => void} loaded  A box is there. */
  constructor(loaded) {
    this.loaded = loaded;
    /** @type {Map<string, ?Box>}  Null while it is loaded. Those seen last stand last. */
    this.all = new Map();
    /** @type {?Promise<Set<string>>} */
    this.names = null;
  }

  /**
   * Loads the boxes within some degrees.
   * @param {number} west
   * @param {number} south
   * @param {number} east
   * @param {number} north
   */
  async show(west, south, east, north) {
    this.names ??= json('base/boxes.json').then(names => new Set(names ?? []));
    const names = await this.names;
    // A network that was away for the list is asked again.
    if (!names.size) this.names = null;
    for (const corner of corners(west, south, east, north)) {
      const name = boxName(corner.west, corner.south);
      if (names.has(name)) this.want(name, corner);
    }
  }

  /** @param {string} name  @param {{west: number, south: number}} corner */
  async want(name, corner) {
    const known = this.all.get(name);
    if (known === null) return;
    this.all.delete(name);
    this.all.set(name, known ?? null);
    for (const old of this.all.keys()) if (this.all.size > most) this.all.delete(old);
    if (known) return;
    const content = await bytes(`base/boxes/${name}.bin`);
    if (!content) return this.all.delete(name);
    if (!this.all.has(name)) return;
    const { west, south } = corner;
    /** @type {Box['area']} */
    const area = [(west + 180) / 360, mercator(south + side), (west + side + 180) / 360, mercator(south)];
    this.all.set(name, { ...decode(content, corner), area });
    this.loaded(area);
  }

  /**
   * The boxes that are there.
   * @returns {Box[]}
   */
  get here() {
    return [...this.all.values()].flatMap(box => box ?? []);
  }
}
