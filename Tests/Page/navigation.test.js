// The links to a phone's navigation: by the crew's way of travelling, in the words that Google and Apple document.
import assert from 'node:assert/strict';
import test from 'node:test';
import { appleNavigation, googleNavigation } from '../../deploy/page/shared/navigation.js';

const place = { latitude: 47.3, longitude: 8.5 };
const google = 'https://www.google.com/maps/dir/?api=1&destination=47.300000,8.500000';
const apple = 'https://maps.apple.com/?daddr=47.300000,8.500000';

/** [the crew's way of travelling, Google's link, Apple's link] */
const table = [
  ['car', `${google}&travelmode=driving`, `${apple}&dirflg=d`],
  // Apple's links have no word for a bike.
  ['bike', `${google}&travelmode=bicycling`, apple],
  // Without a car's place nobody has said it: as in an alert, by car.
  [undefined, `${google}&travelmode=driving`, `${apple}&dirflg=d`],
  [null, `${google}&travelmode=driving`, `${apple}&dirflg=d`],
];

for (const [mode, googles, apples] of table) {
  test(`navigation by ${mode}`, () => {
    assert.equal(googleNavigation(place, mode), googles);
    assert.equal(appleNavigation(place, mode), apples);
  });
}
