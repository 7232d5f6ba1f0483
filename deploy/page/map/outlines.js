// Reads the base map's files. base/make.py writes them and tells their format. It reads nothing but its arguments.

/** The kinds of outlines, as numbered in the files. */
export const kinds = { land: 0, water: 1, border: 2, river: 3, brook: 4 };

/**
 * A line or the edge of an area. Its points count from the content's origin, 1 is the whole way around the earth.
 * @typedef {{points: Float32Array, box: [number, number, number, number]}} Outline
 * @typedef {{name: string, latitude: number, longitude: number, people: number}} Place
 * @typedef {object} Content
 * @property {[number, number]} origin  On the Mercator map: 0, 0 is its north-west corner, 1, 1 the opposite one.
 * @property {Place[]} places  The largest first.
 * @property {Record<number, Outline[]>} outlines  By kind.
 */

// Zigzag numbers, 7 bits a byte.
class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.index = 0;
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

  text() {
    const length = this.number();
    this.index += length;
    return new TextDecoder().decode(this.bytes.subarray(this.index - length, this.index));
  }
}

/**
 * A latitude's place on the Mercator map, from 0 in the north to 1.
 * @param {number} latitude
 */
export function mercator(latitude) {
  const sine = Math.sin((Math.min(85.05, Math.max(-85.05, latitude)) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/**
 * @param {Reader} reader
 * @param {[number, number]} origin
 * @param {{west: number, south: number, steps: number}} grid
 * @returns {Outline}
 */
function outline(reader, origin, { west, south, steps }) {
  const count = reader.number();
  const points = new Float32Array(count * 2);
  /** @type {Outline['box']} */
  const box = [2, 2, -2, -2];
  let x = 0;
  let y = 0;
  for (let k = 0; k < count; k++) {
    x += reader.signed();
    y += reader.signed();
    const px = (west + x / steps + 180) / 360 - origin[0];
    const py = mercator(south + y / steps) - origin[1];
    points[2 * k] = px;
    points[2 * k + 1] = py;
    box[0] = Math.min(box[0], px);
    box[1] = Math.min(box[1], py);
    box[2] = Math.max(box[2], px);
    box[3] = Math.max(box[3], py);
  }
  return { points, box };
}

/**
 * @param {Uint8Array} bytes
 * @param {?{west: number, south: number}} corner  A box's; null for the file of the world.
 * @returns {Content}
 */
export function decode(bytes, corner) {
  const reader = new Reader(bytes);
  const grid = corner ? { ...corner, steps: 1250 } : { west: 0, south: 0, steps: 200 };
  /** @type {[number, number]} */
  const origin = [(grid.west + 180) / 360, mercator(grid.south)];
  const step = () => (corner ? reader.number() : reader.signed()) / grid.steps;
  /** @type {Place[]} */
  const places = [];
  for (let left = reader.number(); left > 0; left--) {
    const name = reader.text();
    const longitude = grid.west + step();
    const latitude = grid.south + step();
    places.push({ name, latitude, longitude, people: reader.number() * 100 });
  }
  /** @type {Content['outlines']} */
  const outlines = {};
  for (let left = reader.number(); left > 0; left--) {
    const kind = reader.number();
    outlines[kind] = [];
    for (let lines = reader.number(); lines > 0; lines--) outlines[kind].push(outline(reader, origin, grid));
  }
  return { origin, places, outlines };
}
