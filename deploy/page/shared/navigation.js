// Links that open a phone's navigation to a place.

/**
 * Degrees as others read them: "46.800000,6.900000".
 * @param {{latitude: number, longitude: number}} p
 */
export const degrees = p => `${p.latitude.toFixed(6)},${p.longitude.toFixed(6)}`;

/**
 * Google's navigation, as in an alert (`Sources/Alerts/AlertMessage.swift`). See Google's "Maps URLs".
 * @param {Placed} place
 * @param {?string} [mode]  How the crew travels, as the report `chase` says; unknown is by car.
 */
export function googleNavigation(place, mode) {
  const by = mode === 'bike' ? 'bicycling' : 'driving';
  return `https://www.google.com/maps/dir/?api=1&destination=${degrees(place)}&travelmode=${by}`;
}

/**
 * Apple's navigation. Its links know a car, walkers and public transport, but no bike: without the word the phone
 * takes the way of travelling that its owner prefers. See Apple's "Map Links".
 * @param {Placed} place
 * @param {?string} [mode]  As above.
 */
export const appleNavigation = (place, mode) =>
  `https://maps.apple.com/?daddr=${degrees(place)}${mode === 'bike' ? '' : '&dirflg=d'}`;
