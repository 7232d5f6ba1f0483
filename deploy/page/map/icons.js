// The map's markers and lines.
import { el } from '../shared/dom.js';
import { wrap } from './wrap.js';

/** @param {?{latitude: number, longitude: number}} [p]  As Leaflet wants it. */
export const pair = p => p && [p.latitude, wrap(p.longitude)];

/** A marker's icon; `size` in pixels. */
export const icon = (className, text, size) =>
  L.divIcon({ className, html: el('span', {}, text || ''), iconSize: size ? [size, size] : null });

/** A text on the map. */
export const label = (place, text, kind = '') =>
  L.marker(place, { interactive: false, keyboard: false, icon: icon(`note ${kind}`, text) });

/** A marker that opens a card. Leaflet makes it a stop of the keyboard, but gives it no role and no name. */
export const named = (place, title, options, act) =>
  L.marker(place, { title, ...options })
    .on('add', event => {
      const element = event.target.getElement();
      element.setAttribute('role', 'button');
      element.setAttribute('aria-label', title);
    })
    .on('click', act);

/** A small marker that opens a card. */
export const dot = (place, kind, title, act) =>
  named(place, title, { icon: icon(`mark ${kind}`, '', 24) }, act);

/** A line; `style` is Leaflet's. */
export const line = (places, style) => L.polyline(places, { interactive: false, ...style });

/** A circle; `radius` in metres. */
export const ring = (place, radius, style) =>
  L.circle(place, { interactive: false, radius, weight: 1.5, fill: false, fillOpacity: 0.05, ...style });
