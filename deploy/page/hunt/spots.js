// How strong the signal was along the car's own way. A page that is loaded anew in its tab has it still.

import { carAge } from '../shared/model.js';
import { shelf } from '../shared/stored.js';
import { chase, data, listen, radio } from '../shared/stream.js';
import { spot } from './way.js';

/** Milliseconds after which the car has left its last place. */
const oldAfter = 3000;
const tab = shelf(() => sessionStorage);

/** @returns {import('./way.js').Spot[]} */
function kept() {
  try {
    return JSON.parse(tab.read('spots') ?? '[]');
  } catch {
    return [];
  }
}

/** The oldest first. */
export const spots = kept();

listen(() => {
  const car = chase()?.car;
  if (!data.signal || !car) return;
  const { serial, rssi_dbm: dBm, age_ms: age } = data.signal;
  if (typeof dBm !== 'number' || carAge() + age > oldAfter) return;
  const { latitude, longitude } = car;
  spot(spots, { latitude, longitude, dBm, serial, mhz: radio()?.frequency_mhz });
}, 'signal');

addEventListener('pagehide', () => tab.keep('spots', JSON.stringify(spots)));
