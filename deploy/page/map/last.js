// Where the map begins before any report knows a place: where it last was.
import { now } from '../shared/clock.js';
import { stored } from '../shared/stored.js';

/** Milliseconds between two notes. */
const interval = 60000;
let notedAt = -Infinity;

/** @returns {?[number, number]} Latitude and longitude. */
export function lastPlace() {
  const kept = stored.read('place') ?? '';
  const [latitude, longitude] = kept.split(',').map(Number);
  const isPlace = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isPlace && kept ? [latitude, longitude] : null;
}

/**
 * Notes a place, once a minute.
 * @param {?Leaflet.LatLng} place  Null if it is unknown.
 */
export function keepPlace(place) {
  if (!place || now() - notedAt < interval) return;
  notedAt = now();
  const { lat, lng } = place.wrap();
  stored.keep('place', `${lat.toFixed(2)},${lng.toFixed(2)}`);
}
