// The car's own way: on foot it shows where somebody has already looked.
import { isDemo } from './demo.js';
import { chase, flight, json, listen } from './stream.js';

/** The most places; beyond, every second one is forgotten. */
const most = 3000;
/** Metres between two places. A resting GPS wanders less. */
const step = 8;
const metresOfDegree = 111195;

/**
 * The oldest first.
 * @type {Array<{latitude: number, longitude: number}>}
 */
export const trail = [];

/** @param {Placed} a  @param {Placed} b */
function metres(a, b) {
  const narrow = Math.cos((a.latitude * Math.PI) / 180);
  return Math.hypot(a.latitude - b.latitude, (a.longitude - b.longitude) * narrow) * metresOfDegree;
}

function bound() {
  if (trail.length > most) trail.splice(0, trail.length, ...trail.filter((_, i) => i % 2 === 0));
}

// Notes where the car is.
listen(() => {
  const car = chase()?.car;
  if (!car) return;
  const { latitude, longitude } = car;
  const here = { latitude, longitude };
  const last = trail.at(-1);
  if (last && metres(last, here) < step) return;
  trail.push(here);
  bound();
}, 'chase');

let isRecalled = false;

// The way before the page was opened, as the gateway has recorded it with the flight. A simulated flight of the page has none.
listen(async () => {
  if (isRecalled || !flight()?.serial || isDemo()) return;
  isRecalled = true;
  /** @type {Array<[number, number, number]>} */
  const earlier = (await json('api/flights/current/car?max=1500')) ?? [];
  trail.unshift(...earlier.map(([, latitude, longitude]) => ({ latitude, longitude })));
  bound();
}, 'flight');
