// The sonde's track in short pieces: a new point redraws only one.
import { track } from '../shared/stream.js';
import { line } from './icons.js';
import { wrap } from './wrap.js';

/** The most points of a piece. */
const mostPoints = 300;
/** Milliseconds between two points from which the line between is dashed. */
const gapAfter = 60000;
/** Metres up or down that do not count as a turn. */
const sway = 30;

/** Draws the live track. */
export class Track {
  /** @param {Leaflet.Map} map */
  constructor(map) {
    this.group = L.layerGroup().addTo(map);
    /** @type {TrackPoint | undefined} */
    this.first = undefined;
    /** @type {Leaflet.Layer} */
    this.piece = null;
    /** @type {Array<[number, number]>} */
    this.places = [];
    this.length = 0;
    this.height = 0;
    this.used = 0;
    this.kind = '';
    this.isUp = true;
    this.isPending = false;
  }

  clear() {
    this.group.clearLayers();
    this.used = 0;
    this.kind = '';
    this.isUp = true;
    this.isPending = false;
  }

  /** Draws all points anew. */
  redraw() {
    this.clear();
    this.draw();
  }

  /** Draws the points that are new. */
  draw() {
    if (track[0] !== this.first || this.used > track.length) {
      this.clear();
      this.first = track[0];
    }
    for (; this.used < track.length; this.used++) this.add(track[this.used], track[this.used - 1]);
    this.finish();
  }

  finish() {
    if (this.isPending) this.piece.setLatLngs(this.places);
    this.isPending = false;
  }

  /** @param {TrackPoint} point  @param {TrackPoint | undefined} last */
  add(point, last) {
    const [time, latitude, longitude, altitude, source] = point;
    if (!last) {
      this.height = altitude;
      return;
    }
    // Up or down since the last turn.
    if (Math.abs(altitude - this.height) > sway) {
      this.isUp = altitude > this.height;
      this.height = altitude;
    }
    const isGap = time - last[0] > gapAfter;
    const kind = (isGap ? 'gap' : this.isUp ? 'up' : 'down') + source;
    if (kind !== this.kind || this.length >= mostPoints) this.begin(kind, isGap, last, source);
    this.places.push([latitude, wrap(longitude)]);
    this.length++;
    this.isPending = true;
  }

  /**
   * @param {string} kind
   * @param {boolean} isGap
   * @param {TrackPoint} last
   * @param {string} source
   */
  begin(kind, isGap, last, source) {
    this.finish();
    this.kind = kind;
    this.length = 0;
    this.places = [[last[1], wrap(last[2])]];
    this.piece = line([], {
      color: '--ink',
      // Thin while it climbs, thick while it falls. SondeHub's part is dotted, a gap is dashed.
      weight: this.isUp ? 2.5 : 4.5,
      dashArray: isGap ? '7 9' : source === 'ble' ? null : '1 8',
      smoothFactor: 1.5,
    }).addTo(this.group);
  }
}
