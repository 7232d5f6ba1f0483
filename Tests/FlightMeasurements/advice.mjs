// Lets a car follow what Drive advises on recorded flights, and counts how often the word changes, and whether a
// direction was advised that turned out to be wrong. Tests/measure-advice.sh runs it with the lines of AdviceRows.swift.
import { readFileSync } from 'node:fs';

const [page, rows] = process.argv.slice(2);
const { advise } = await import(`${page}/drive/advice.js`);
const { situation } = await import(`${page}/drive/situation.js`);

/** Metres a second along the straight line: 60 km/h on roads that are a third longer. */
const speed = 12.5;
/** Seconds between two looks at the page, and for which a prediction is kept. */
const step = 5;
/** Degrees from which a direction was wrong. */
const wrong = 60;
/** Metres: nearer to the true place a direction is a question of roads. */
const near = 1000;
/** Metres a degree of latitude. */
const degree = 111195;

const shrink = latitude => Math.cos((latitude * Math.PI) / 180);

/** Metres to the east and to the north. */
const between = (a, b) => [
  (b.longitude - a.longitude) * degree * shrink((a.latitude + b.latitude) / 2),
  (b.latitude - a.latitude) * degree,
];

function sight(from, to) {
  const [east, north] = between(from, to);
  const bearing = (Math.atan2(east, north) * 180) / Math.PI;
  return { distance_m: Math.hypot(east, north), bearing_deg: bearing, relative_bearing_deg: bearing };
}

function drive(car, to, metres) {
  const { distance_m } = sight(car, to);
  const share = distance_m ? Math.min(1, metres / distance_m) : 1;
  car.latitude += (to.latitude - car.latitude) * share;
  car.longitude += (to.longitude - car.longitude) * share;
}

const apart = (a, b) => Math.abs(((a - b + 540) % 360) - 180);

function factsAt(row, car, passed, isFalling) {
  const landing = row.landing && {
    ...row.landing,
    source: 'predicted',
    error_radius_50_m: row.r50,
  };
  return {
    chase: {
      car: { ...car, altitude_m: 0, accuracy_m: 5 },
      sonde: sight(car, row),
      landing: landing && sight(car, landing),
    },
    position: { altitude_m: row.altitude },
    flight: {},
    landing,
    phase: isFalling ? 'descendingBelow10k' : 'ascending',
    source: 'ble',
    heardAge: 0,
    carAge: 0,
    landingIn: row.landingIn == null ? null : row.landingIn - passed,
    isSilent: false,
  };
}

function follow(flight) {
  const car = { latitude: flight[0].latitude, longitude: flight[0].longitude };
  let held = { word: 'nothing', next: null, since: 0 };
  const words = [];
  let worst = 0;
  let wrongFor = 0;
  let top = 0;
  flight.forEach((row, i) => {
    top = Math.max(top, row.altitude);
    const until = flight[i + 1]?.t ?? row.t + step;
    for (let t = row.t; t < until; t += step) {
      const facts = factsAt(row, car, t - row.t, row.altitude < top - 300);
      const now = situation(facts);
      held = advise(held, facts, now, t * 1000);
      if (words.at(-1)?.word !== held.word) words.push({ word: held.word, t });
      if (!['towards', 'go'].includes(held.word) || !row.landing) continue;
      const truth = sight(car, row.truth);
      const off = apart(sight(car, row.landing).bearing_deg, truth.bearing_deg);
      if (truth.distance_m > near && off > wrong) wrongFor += step;
      if (truth.distance_m > near) worst = Math.max(worst, off);
      drive(car, row.landing, speed * step);
    }
  });
  const last = flight.at(-1);
  return { words, worst, wrongFor, left: sight(car, last.truth).distance_m };
}

const number = text => (text === '' ? null : Number(text));
const flights = new Map();
for (const line of readFileSync(rows, 'utf8').trim().split('\n').slice(1)) {
  const [name, ...texts] = line.split(',');
  const [t, latitude, longitude, altitude, landLat, landLon, r50, landingIn, trueLat, trueLon] = texts.map(number);
  const landing = landLat == null ? null : { latitude: landLat, longitude: landLon };
  const truth = { latitude: trueLat, longitude: trueLon };
  if (!flights.has(name)) flights.set(name, []);
  flights.get(name).push({ t, latitude, longitude, altitude, landing, r50, landingIn, truth });
}

const changes = [];
let wrongFlights = 0;
let wrongMinutes = 0;
for (const [name, flight] of flights) {
  const { words, worst, wrongFor, left } = follow(flight);
  // What stands there before the first point is known is no advice.
  const told = words.filter(({ word }) => !['nothing', 'noPoint'].includes(word));
  changes.push(told.length - 1);
  if (wrongFor > 0) wrongFlights++;
  if (wrongFor >= 60) wrongMinutes++;
  const way = words.map(({ word, t }) => `${word}@${Math.round(t / 60)}`).join(' ');
  console.log(
    `${name.padEnd(15)} ${String(told.length - 1).padStart(2)} changes, wrong for ${String(wrongFor).padStart(4)} s ` +
      `(worst ${Math.round(worst)}°), at the end ${(left / 1000).toFixed(1)} km away: ${way}`,
  );
}
changes.sort((a, b) => a - b);
const count = changes.length;
console.log(
  `${count} flights: the word changes ${changes[Math.floor(count / 2)]} times in the median (limit 6), ` +
    `${changes.at(-1)} at most; more than ${wrong}° wrong in ${wrongFlights} (limit ${Math.floor(count / 10)}), ` +
    `for a minute and longer in ${wrongMinutes}`,
);
process.exitCode = changes[Math.floor(count / 2)] > 6 || wrongFlights > count / 10 ? 1 : 0;
