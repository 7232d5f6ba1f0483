// A recorded flight on the map, played as it flew.
import { $, button, cls, el, put, toast } from '../shared/dom.js';
import { json, now } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { line, shaped } from './icons.js';
import { wrap } from './wrap.js';

/** How many seconds of the flight pass in a second. */
const speeds = [0.5, 1, 5, 10, 30, 60];

export class Replay {
  /** @param {Leaflet.Map} map  @param {() => void} onEnd */
  constructor(map, onEnd) {
    this.map = map;
    this.onEnd = onEnd;
    /** @type {TrackPoint[]} */
    this.points = [];
    this.serial = '';
    this.isRunning = false;
    this.time = 0;
    this.lastAt = 0;
    /** @type {Leaflet.Layer} */
    this.mark = null;
    this.layer = L.layerGroup().addTo(map);
    this.play = button(T.play, () => this.run(!this.isRunning));
    this.slider = el('input', { type: 'range', min: 0, step: 1000, 'aria-label': T.replay });
    this.slider.oninput = () => this.seek(+this.slider.value);
    /** @param {number} speed */
    const option = speed => el('option', { value: speed, selected: speed === 10 }, `${speed} ×`);
    this.speed = el('select', { 'aria-label': T.speed }, ...speeds.map(option));
    this.words = el('output');
    const close = button(T.close, () => this.close());
    this.root = el(
      'div',
      { id: 'replay', hidden: true },
      this.play,
      this.slider,
      this.speed,
      this.words,
      close,
    );
    $('box').append(this.root);
  }

  /**
   * Shows a flight from its begin.
   * @param {string} serial
   */
  async show(serial) {
    /** @type {TrackPoint[]} */
    const points = (await json(`api/flights/${encodeURIComponent(serial)}/track?max=3000`)) ?? [];
    const end = points.at(-1);
    if (!end) return toast(T.noFlights);
    this.points = points;
    this.serial = serial;
    this.layer.clearLayers();
    const places = points.map(p => [p[1], wrap(p[2])]);
    line(places, { color: '--target', weight: 3 }).addTo(this.layer);
    this.mark = L.marker(places[0], {
      title: serial,
      alt: serial,
      icon: shaped('replayed sonde', 30),
    });
    this.mark.addTo(this.layer);
    this.slider.max = String(end[0] - points[0][0]);
    this.root.hidden = false;
    this.map.fitBounds(L.latLngBounds(places).pad(0.1), { animate: false });
    this.seek(0);
    this.run(true);
  }

  /**
   * Shows the last point before this time of the flight, milliseconds.
   * @param {number} time
   */
  seek(time) {
    this.time = Math.min(Math.max(0, time), +this.slider.max);
    this.slider.value = String(this.time);
    const at = this.points[0][0] + this.time;
    let low = 0;
    let high = this.points.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.points[middle][0] <= at) low = middle;
      else high = middle - 1;
    }
    const [, latitude, longitude, altitude] = this.points[low];
    this.mark.setLatLng([latitude, wrap(longitude)]);
    put(this.words, u.joined(this.serial, u.clock(this.time / 1000)[0], u.text(u.height(altitude))));
  }

  /** @param {boolean} isRunning */
  run(isRunning) {
    this.isRunning = isRunning;
    put(this.play, isRunning ? T.pause : T.play);
    cls(this.play, 'on', isRunning);
    if (!isRunning) return;
    if (this.time >= +this.slider.max) this.seek(0);
    this.lastAt = now();
    this.step();
  }

  step() {
    if (!this.isRunning) return;
    const passed = now() - this.lastAt;
    this.lastAt = now();
    this.seek(this.time + passed * +this.speed.value);
    if (this.time >= +this.slider.max) this.run(false);
    else setTimeout(() => this.step(), 100);
  }

  close() {
    this.run(false);
    this.layer.clearLayers();
    this.root.hidden = true;
    this.onEnd();
  }
}
