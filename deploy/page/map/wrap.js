// The map beyond 180 degrees: all places are drawn on the same side of it.

/**
 * The longitude around which all others lie; null until a place is known.
 * @type {?number}
 */
let middle = null;

/**
 * Sets the place around which the map is drawn.
 * It changes only when the car or sonde went half around the world.
 * @param {?{longitude: number}} [place]
 * @returns {boolean} Whether everything must be drawn anew.
 */
export function centre(place) {
  if (typeof place?.longitude !== 'number') return false;
  if (middle != null && Math.abs(place.longitude - middle) < 120) return false;
  const before = middle;
  middle = place.longitude;
  return before != null;
}

/**
 * The longitude plus whole turns that is nearest to the middle.
 * @param {number} longitude
 */
export const wrap = longitude =>
  middle == null ? longitude : longitude + 360 * Math.round((middle - longitude) / 360);
