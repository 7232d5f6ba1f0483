// A place in words, by the towns of the base map. Their files come when a place is asked for the first time.
import { nearText } from '../drive/words.js';
import { Boxes } from '../map/boxes.js';
import { nearest, reach } from './nearest.js';

/** The most places whose towns are kept. */
const most = 500;
/**
 * The town of a place, by its degrees.
 * @type {Map<string, ReturnType<typeof nearest>>}
 */
const found = new Map();
/** How many boxes were there when the towns were found. */
let boxesThen = 0;

const boxes = new Boxes(() => {});

/**
 * Where a place is: "2 km north of Grenchen"; null far from any town, and until the towns are loaded.
 * @param {?{latitude?: ?number, longitude?: ?number}} [place]
 * @param {?number} [radius]  Metres by which the place may be off.
 */
export function townOf(place, radius) {
  const { latitude, longitude } = place ?? {};
  if (latitude == null || longitude == null) return null;
  const width = Math.min(5, reach / Math.max(0.05, Math.cos((latitude * Math.PI) / 180)));
  boxes.show(longitude - width, latitude - reach, longitude + width, latitude + reach);
  const { here } = boxes;
  if (here.length !== boxesThen || found.size > most) found.clear();
  boxesThen = here.length;
  const key = `${latitude.toFixed(3)},${longitude.toFixed(3)}`;
  const lists = here.map(box => box.places);
  if (!found.has(key)) found.set(key, nearest(lists, { latitude, longitude }));
  return nearText(found.get(key), radius);
}
