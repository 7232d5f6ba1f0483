// The names of towns and villages on the map: as many as have room, the largest first.
import { body } from '../shared/dom.js';
import { boxZoom } from './boxes.js';
import { inFrames } from './frames.js';
import { icon } from './icons.js';
import { arrange } from './names.js';
import { wrap } from './wrap.js';

/** @typedef {import('./outlines.js').Place} Place */
/** @typedef {import('./names.js').Area} Area */

/**
 * What no name may hide: a place, and the pixels beside and above it.
 * @typedef {{place: Leaflet.LatLng, left: number, right: number, above: number}} Mark
 * @typedef {[string, Leaflet.LatLng]} Ring  The text of a range ring's label, and its place.
 */

/** The most names at once. */
const most = 60;
/** The most places that are tried. */
const mostTried = 400;
/** Below this zoom level no place is named. */
const leastZoom = 5;
/** The classes of places by people, and the size of their letters in pixels. */
const classes = [
  { name: 'city', people: 100000, letter: 18 },
  { name: 'town', people: 10000, letter: 16 },
  { name: 'village', people: 0, letter: 15 },
];
/** The view moves so many pixels, or turns so many degrees, until the places are named again. */
const move = 99;
const turn = 20;

/** @param {Place} place */
const classOf = place => classes.find(one => place.people >= one.people) ?? classes[classes.length - 1];

/** The angle by which the map is turned, degrees. */
const angle = () => Number.parseFloat(body.style.getPropertyValue('--turn')) || 0;

export class Towns {
  /**
   * @param {Leaflet.Map} map
   * @param {() => Place[][]} known  Lists of places, each with the largest first.
   * @param {() => Mark[]} marks
   */
  constructor(map, known, marks) {
    this.map = map;
    this.known = known;
    this.marks = marks;
    this.layer = L.layerGroup();
    this.pen = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
    /** @type {?{zoom: number, at: Leaflet.Point, angle: number}} */
    this.last = null;
    this.isCovered = false;
    this.isDue = false;
    /** @type {Ring[]} */
    this.rings = [];
    map.on('moveend resize', () => this.follow());
    map.on('rings', (/** @type {{named: Ring[]}} */ { named }) => this.avoid(named));
  }

  /**
   * The rings follow the car each second. The places are named again only if other rings are drawn.
   * @param {Ring[]} rings
   */
  avoid(rings) {
    const isSame = rings.map(([text]) => text).join() === this.rings.map(([text]) => text).join();
    this.rings = rings;
    if (!isSame) this.nameSoon();
  }

  // Skips small moves.
  follow() {
    const zoom = this.map.getZoom();
    const at = this.map.project(this.map.getCenter());
    const { last } = this;
    const isNear = last && last.zoom === zoom && last.at.distanceTo(at) < move;
    if (isNear && Math.abs(last.angle - angle()) < turn) return;
    this.nameSoon();
  }

  /** Names the places in one of the next frames, once for all that has changed until then. */
  nameSoon() {
    if (this.isDue) return;
    this.isDue = true;
    inFrames(() => {
      this.isDue = false;
      this.name();
    });
  }

  /**
   * A place's pixel as the eye sees it: names stay upright while the map is turned.
   * @param {Leaflet.LatLng} place
   * @param {number} radians
   */
  pixel(place, radians) {
    const middle = this.map.getSize().divideBy(2);
    const { x, y } = this.map.latLngToContainerPoint(place).subtract(middle);
    return {
      x: x * Math.cos(radians) + y * Math.sin(radians),
      y: y * Math.cos(radians) - x * Math.sin(radians),
    };
  }

  /**
   * The pixels of a text.
   * @param {string} text
   * @param {{letter: number, name: string}} kind
   */
  width(text, { letter, name }) {
    this.pen.font = `${name === 'city' ? 700 : 400} ${letter}px ${getComputedStyle(body).fontFamily}`;
    return this.pen.measureText(text).width;
  }

  /**
   * What no name may hide: the labels of the rings, and the markers.
   * @param {number} radians
   */
  taken(radians) {
    const labels = this.rings.map(([text, place]) => {
      const { x, y } = this.pixel(place, radians);
      return { left: x, top: y - 4, right: x + this.width(text, classes[1]) + 8, bottom: y + 24 };
    });
    const marks = this.marks().map(({ place, left, right, above }) => {
      const { x, y } = this.pixel(place, radians);
      return { left: x - left, top: y - above, right: x + right, bottom: y + 18 };
    });
    return [...labels, ...marks];
  }

  /** Names the places of the view anew. */
  name() {
    const zoom = this.map.getZoom();
    const radians = (angle() * Math.PI) / 180;
    this.last = { zoom, at: this.map.project(this.map.getCenter()), angle: angle() };
    this.layer.clearLayers();
    if (zoom < leastZoom || this.isCovered || !this.map.getSize().x) return;
    const view = this.map.getBounds();
    const tried = this.known()
      .flatMap(list => this.within(list, view))
      .sort((a, b) => b.people - a.people)
      .slice(0, mostTried);
    const wanted = tried.map(place => {
      const kind = classOf(place);
      const at = this.pixel([place.latitude, wrap(place.longitude)], radians);
      return { ...at, width: this.width(place.name, kind), height: kind.letter * 1.2 };
    });
    for (const { index, side } of arrange(wanted, this.taken(radians), most)) {
      this.label(tried[index], side).addTo(this.layer);
    }
  }

  /** @param {Place[]} list  @param {any} view  Leaflet's bounds. */
  within(list, view) {
    /** @param {Place} place */
    const inside = ({ latitude, longitude }) => view.contains([latitude, wrap(longitude)]);
    /** @type {Place[]} */
    const found = [];
    for (const place of list) {
      if (inside(place)) found.push(place);
      if (found.length >= mostTried) break;
    }
    return found;
  }

  /** @param {Place} place  @param {import('./names.js').Side} side */
  label(place, side) {
    const kind = classOf(place);
    return L.marker([place.latitude, wrap(place.longitude)], {
      interactive: false,
      keyboard: false,
      icon: icon(`note town ${kind.name} ${side}`, place.name),
      zIndexOffset: -1000,
    });
  }
}

/**
 * Whether the places of the world's file or of the boxes are named.
 * @param {Leaflet.Map} map
 */
export const usesBoxes = map => map.getZoom() >= boxZoom;
