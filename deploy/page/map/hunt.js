// The signal hunt on the map: how strong the signal was along the car's way, the bearings, and where they cross.
import { forget } from '../hunt/bearing.js';
import { signal } from '../hunt/heard.js';
import { bearingText } from '../hunt/sheet.js';
import { grade, levels } from '../hunt/signal.js';
import { spots } from '../hunt/spots.js';
import { ahead, ellipse, metres, spotsOf } from '../hunt/way.js';
import { $, el } from '../shared/dom.js';
import { hunt } from '../shared/model.js';
import { data, landing, radio } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { colour, line, pair } from './icons.js';

/** Metres of a bearing's line: so far without an estimate, beyond the estimate by this factor, and at least. */
const reach = { unknown: 15000, beyond: 1.5, least: 500 };
/** Pixels of a dot's radius, by its grade: nobody needs the colours. */
const radii = [3.5, 4.5, 5.5, 7, 8.5];

/**
 * The layers by name, from bottom to top.
 * @type {Record<string, Leaflet.Layer>}
 */
export const layers = {};
if (window.L) for (const name of ['bearings', 'signal']) layers[name] = L.layerGroup();

/** @typedef {(name: string, at: Leaflet.LatLng, more: string[], acts: Array<[string, () => void]>) => void} Card */

/** @type {Record<string, string>} */
const shown = {};
const legend = el('div', { id: 'levels', 'aria-hidden': 'true', hidden: true });

/** Makes the legend of the dots. */
export function startHunt() {
  const names = [`< ${u.plain(levels[0])}`, ...levels.map(u.plain)];
  /** @param {string} name  @param {number} i */
  const dot = (name, i) => el('span', { class: `spot of-${i}` }, el('span', {}, name));
  legend.append(...names.map(dot), 'dBm');
  $('box').append(legend);
}

/** Draws all anew the next time. */
export function forgetHunt() {
  for (const name in shown) delete shown[name];
}

/** @param {string} name  @param {string} key */
function isNew(name, key) {
  if (shown[name] === key) return false;
  shown[name] = key;
  layers[name].clearLayers();
  return true;
}

/**
 * The dots of the sonde whose signal is shown, while it is hunted.
 * @param {boolean} isOn
 */
function drawSpots(isOn) {
  const serial = signal()?.serial ?? data.state?.serial;
  const here = hunt() || data.bearings?.bearings ? spotsOf(spots, serial, radio()?.frequency_mhz) : [];
  legend.hidden = !isOn || here.length === 0;
  const last = here.at(-1);
  if (!isNew('signal', [here.length, serial, last?.latitude, last?.dBm].join())) return;
  const edge = colour('--halo');
  for (const one of here) {
    const style = {
      radius: radii[grade(one.dBm)],
      weight: 1.5,
      color: edge,
      fillColor: colour(`--level-${grade(one.dBm)}`),
    };
    L.circleMarker(pair(one), { ...style, fillOpacity: 1, interactive: false }).addTo(layers.signal);
  }
  for (const above of layers.bearings.getLayers()) above.bringToFront();
}

/**
 * Where the landing point is known better, the bearings are pale.
 * @param {Card} card
 */
function drawBearings(card) {
  const { bearings, estimate } = data.bearings ?? {};
  const isUsed = landing()?.source === 'bearings' || !landing();
  if (!isNew('bearings', [JSON.stringify(data.bearings), isUsed].join())) return;
  const opacity = isUsed ? 1 : 0.5;
  for (const bearing of bearings ?? []) {
    const { id, from, bearing_deg: degrees, used } = bearing;
    const far = estimate ? Math.max(reach.least, reach.beyond * metres(from, estimate)) : reach.unknown;
    const dashArray = used === false ? '3 7' : null;
    const style = { color: used === false ? '--ink-3' : '--ink', weight: 2, opacity, dashArray };
    line([from, ahead(from, degrees, far)].map(pair), style).addTo(layers.bearings);
    const open = () =>
      card('bearing', L.latLng(pair(from)), [bearingText(bearing)], [[T.signals.forget, () => forget(id)]]);
    const dot = {
      radius: 7,
      weight: 3,
      color: colour('--ink'),
      opacity,
      fillColor: colour('--halo'),
      fillOpacity: 1,
    };
    L.circleMarker(pair(from), dot).on('click', open).addTo(layers.bearings);
  }
  if (!estimate) return;
  const style = { color: '--target', weight: 2.5, dashArray: '9 7', opacity, smoothFactor: 0.3 };
  line(ellipse(estimate, estimate.ellipse_90).map(pair), style).addTo(layers.bearings);
}

/**
 * Draws what changed.
 * @param {(name: string) => boolean} isOn  Whether a layer is shown.
 * @param {Card} card
 */
export function drawHunt(isOn, card) {
  drawSpots(isOn('signal'));
  drawBearings(card);
}
