// The shapes of GeoJSON and KML files. It reads nothing but its arguments.
import { wrap } from './wrap.js';

/** The most shapes of a file. */
const most = 2000;

/** @typedef {{name: string, kind: 'point' | 'line' | 'area', places: Array<[number, number]>}} Shape  Latitude first. */

/**
 * Longitude and latitude, as both formats have them, the other way around.
 * @param {any[][]} points
 * @returns {Array<[number, number]>}
 */
const turned = points =>
  points
    .map(([longitude, latitude]) => /** @type {[number, number]} */ ([+latitude, wrap(+longitude)]))
    .filter(place => place.every(Number.isFinite));

/**
 * The shapes of a GeoJSON geometry.
 * @param {any} geometry
 * @param {string} name
 * @returns {Shape[]}
 */
function ofGeometry(geometry, name) {
  const { type, coordinates, geometries } = geometry ?? {};
  /** @param {Shape['kind']} kind  @param {any[][][]} lists */
  const all = (kind, lists) => lists.map(points => ({ name, kind, places: turned(points) }));
  switch (type) {
    case 'Point':
      return all('point', [[coordinates]]);
    case 'MultiPoint':
      return all(
        'point',
        coordinates.map((/** @type {any[]} */ point) => [point]),
      );
    case 'LineString':
      return all('line', [coordinates]);
    case 'MultiLineString':
      return all('line', coordinates);
    case 'Polygon':
      return all('area', coordinates.slice(0, 1));
    case 'MultiPolygon':
      return all(
        'area',
        coordinates.map((/** @type {any[][]} */ rings) => rings[0]),
      );
    case 'GeometryCollection':
      return geometries.flatMap((/** @type {any} */ one) => ofGeometry(one, name));
    default:
      return [];
  }
}

/**
 * The shapes of a GeoJSON text.
 * @param {string} text
 * @returns {Shape[]}
 */
export function ofGeoJSON(text) {
  const root = JSON.parse(text);
  /** @type {any[]} */
  const features = root.type === 'FeatureCollection' ? root.features : [root];
  return features.slice(0, most).flatMap(feature => {
    const isFeature = feature?.type === 'Feature';
    return ofGeometry(isFeature ? feature.geometry : feature, String(feature?.properties?.name ?? ''));
  });
}

/**
 * The shapes of a KML text.
 * @param {string} text
 * @returns {Shape[]}
 */
export function ofKML(text) {
  const root = new DOMParser().parseFromString(text, 'text/xml');
  /** @type {Shape[]} */
  const found = [];
  /** @type {Record<string, Shape['kind']>} */
  const kinds = { Point: 'point', LineString: 'line', LinearRing: 'area' };
  for (const placemark of [...root.getElementsByTagNameNS('*', 'Placemark')].slice(0, most)) {
    const name = placemark.getElementsByTagNameNS('*', 'name')[0]?.textContent ?? '';
    for (const list of placemark.getElementsByTagNameNS('*', 'coordinates')) {
      // A hole in an area is not drawn.
      if (list.closest('innerBoundaryIs')) continue;
      const points = (list.textContent ?? '').trim().split(/\s+/);
      const kind = kinds[list.parentElement?.localName ?? ''];
      if (kind) found.push({ name, kind, places: turned(points.map(point => point.split(','))) });
    }
  }
  return found;
}
