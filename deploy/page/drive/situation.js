// Decides what Drive shows: the target, the arrow and three numbers. It reads nothing but its argument, and
// has no words: a line names its label, and its value is a number of SI units.

/** Milliseconds after which the receiver's positions, and the car's, are old. */
export const oldAfter = 10000;
/** SondeHub's positions are normally 15 to 19 s old. */
export const oldAfterFromSondeHub = 40000;
/** Metres from the car to the sonde below which the sonde itself is the target. */
export const nearSonde = 2000;
/** Metres above the car below which a sonde in flight can be the target: higher, the wind carries it on. */
export const lowSonde = 500;

/** Metres to which the accuracy of the GPS is told, and by how much its heights are worse than its places. */
const gpsStep = 5;
const heightShare = 2;

/**
 * @typedef {object} Sight  A place seen from the car.
 * @property {number} distance_m
 * @property {number} [bearing_deg]
 * @property {?number} [relative_bearing_deg]  From the car's nose; missing while its course is unknown.
 * @property {?number} [closing_speed_mps]
 *
 * @typedef {object} Facts  What the reports say now. Ages are milliseconds, Infinity if unknown.
 * @property {?Report.LiveChase} chase  Null without a live car.
 * @property {?Report.Position} position
 * @property {?Report.Flight} flight
 * @property {?Report.Landing} landing
 * @property {string} [phase]
 * @property {?string} [source]
 * @property {number} heardAge
 * @property {number} carAge
 * @property {?number} landingIn  Seconds.
 * @property {boolean} [isSilent]  Nobody hears the sonde that was heard before.
 * @property {?import('../hunt/signal.js').Signal} [signal]  What the receiver hears, with or without a place.
 *
 * @typedef {Facts & {chase: Report.LiveChase}} FactsWithCar
 *
 * @typedef {object} Line  One of the three numbers.
 * @property {string} id
 * @property {string} label    A key of the texts.
 * @property {?number} value   Metres, seconds, metres a second or degrees; null if unknown.
 * @property {number} age      Milliseconds.
 * @property {number} [limit]  The age after which the number is old; `oldAfter` if missing.
 * @property {Sight} [sight]   The label also says the direction to it.
 * @property {boolean} [isStraight]  The margin is by the straight line.
 * @property {?number} [step]  Metres: the value is not known more finely.
 * @property {?number} [radius]  Metres: half of all landings are within it. Missing at a place that is known.
 * @property {?number} [off]  Seconds by which half of all times are off; null where it is known.
 * @property {?number} [left]  Seconds to the landing: what is left of them is the value.
 * @property {?number} [within]  Metres that the car's GPS cannot tell from nothing.
 * @property {?number} [least]   Metres: at a place that is only expected, half of all sondes are within this.
 *
 * @typedef {object} Situation
 * @property {?('landing'|'sonde')} target
 * @property {Line[]} lines
 * @property {?Sight} sight      The target from the car.
 * @property {?number} turn      The needle's angle, degrees.
 * @property {?number} other     The angle of the dot: the place that is not the target.
 * @property {boolean} northUp   The angles count from north because the car's course is unknown.
 * @property {boolean} isGuess   The landing was not observed.
 * @property {boolean} isThere   The car is at the target, as far as its GPS knows.
 * @property {boolean} isSearch  The car is at a landing point that is a guess: the sonde is somewhere around.
 * @property {boolean} isAround  The car is at the predicted landing point of a flying sonde.
 */

/** @param {unknown} v  @returns {?number} */
export const number = v => (typeof v === 'number' && Number.isFinite(v) ? v : null);

/** @param {?Sight} [sight]  @returns {?number} */
const angle = sight => number(sight?.relative_bearing_deg) ?? number(sight?.bearing_deg);

/** @param {Facts} facts  The age after which the sonde's values are old, milliseconds. */
export const sondeLimit = facts => (facts.source === 'sondehub' ? oldAfterFromSondeHub : oldAfter);

/** @param {Facts} facts  Whether the sonde probably landed, but nobody observed it. */
export const isGuess = facts =>
  facts.phase === 'landed' && ['last_prediction', 'bearings'].includes(facts.landing?.source ?? '');

/** @param {Facts} facts  Whether somebody saw the sonde land there, or set the place by hand. */
const isPlaced = facts => ['observed', 'manual'].includes(facts.landing?.source ?? '');

/** @param {Facts} facts  The 50 % radius, metres. */
export const landingRadius = facts => number(facts.landing?.error_radius_50_m);

/** @param {Facts} facts  A hundredth of the 50 % radius, metres. */
const landingStep = facts => {
  const radius = landingRadius(facts);
  return radius == null ? null : radius / 100;
};

/** @param {Facts} facts  Seconds by which half of all landings miss the predicted time. */
const landingOff = facts => number(facts.landing?.landing_error_50_s);

/**
 * Metres from the car up to the sonde; null if unknown.
 * @param {Facts} facts
 */
function heightAbove(facts) {
  const sonde = number(facts.position?.altitude_m);
  const own = number(facts.chase?.car.altitude_m);
  return sonde == null || own == null ? null : sonde - own;
}

/**
 * Whether a sonde in flight is itself the target: near, low, and heard.
 * The landing point is better than an old place in the air, and than a place high above.
 * @param {FactsWithCar} facts
 */
function isSondeNear(facts) {
  const { sonde, landing } = facts.chase;
  if (!sonde || sonde.distance_m >= nearSonde) return false;
  if (!facts.landing || !landing) return true;
  return facts.heardAge <= sondeLimit(facts) && (heightAbove(facts) ?? 0) < lowSonde;
}

/**
 * Whether the distance is within the accuracy of the car's GPS or within `room`.
 * @param {FactsWithCar} facts
 * @param {?Sight} sight
 * @param {number} [room]  Metres.
 */
function isAt(facts, sight, room = -1) {
  const most = Math.max(number(facts.chase.car.accuracy_m) ?? -1, room);
  const distance = number(sight?.distance_m);
  return distance != null && distance <= most;
}

/**
 * Below this distance in metres the car has reached a landing point that nobody has seen: its place is not
 * known more finely. -1 for a place that is known.
 * @param {Facts} facts
 */
const landingRoom = facts => (isPlaced(facts) ? -1 : (landingRadius(facts) ?? 0) / 50);

/** @param {FactsWithCar} facts  @param {?Sight} sight  Whether the car is at a landing point that nobody has seen. */
const isInArea = (facts, sight) => !isPlaced(facts) && isAt(facts, sight, landingRoom(facts));

/** @param {FactsWithCar} facts  How near to a landing point that nobody has seen the sonde is or will be, metres. */
const leastDistance = facts =>
  isPlaced(facts) ? null : (landingRadius(facts) ?? number(facts.chase.car.accuracy_m));

/** @param {Facts} facts  The age of a number that is the sonde's. */
const ageOfSonde = facts => ({ age: facts.heardAge, limit: sondeLimit(facts) });

/** @param {Facts} facts  @returns {Line} */
function altitudeLine(facts) {
  const value = number(facts.position?.altitude_m) ?? number(facts.flight?.last?.altitude_m);
  return { id: 'altitude', label: 'altitude', value, ...ageOfSonde(facts) };
}

/** @param {Facts} facts  @returns {Line} */
function landingLine(facts) {
  const label = (facts.landingIn ?? 0) < 0 ? 'overdue' : 'landingIn';
  const value = number(facts.landingIn);
  return { id: 'landing_in', label, value, off: landingOff(facts), ...ageOfSonde(facts) };
}

/** @param {Facts} facts  The age of a number made of the car's and the sonde's position. */
function ageOfBoth(facts) {
  const limit = facts.carAge > oldAfter ? oldAfter : sondeLimit(facts);
  return { age: Math.max(facts.heardAge, facts.carAge), limit };
}

/** @param {Facts} facts  Whether it is heard, and has never said a place. */
const isPlaceless = facts => !!facts.signal && !facts.position && !facts.flight?.last;

/** @param {Facts} facts  @param {'rssi'|'mean'|'peak'} id  @returns {Line} */
const signalLine = ({ signal }, id) => ({
  id,
  label: id === 'rssi' ? 'signal' : id,
  value: number(signal?.[id]),
  age: signal?.age ?? Number.POSITIVE_INFINITY,
});

/** @param {Facts} facts  @returns {Line[]} */
function linesWithoutCar(facts) {
  if (isPlaceless(facts))
    return [signalLine(facts, 'rssi'), signalLine(facts, 'mean'), signalLine(facts, 'peak')];
  const value = number(facts.flight?.vertical_speed_mps);
  const vertical = { id: 'vertical', label: 'vertical', value, ...ageOfSonde(facts) };
  return [altitudeLine(facts), landingLine(facts), vertical];
}

/** @param {FactsWithCar} facts  @param {Sight} sight  @returns {Line[]} */
function linesNearby(facts, sight) {
  const guess = isGuess(facts) && !!facts.chase.landing;
  const isKnown = facts.phase === 'landed' && isPlaced(facts);
  // An observed or manual place does not age like the sonde's.
  const trust = isKnown || guess ? { age: facts.carAge } : ageOfBoth(facts);
  // After a landing that nobody observed, the sonde's last altitude is one in the air.
  const top = guess
    ? number(facts.landing?.altitude_m)
    : number(facts.position?.altitude_m ?? facts.flight?.landed?.altitude_m ?? facts.landing?.altitude_m);
  const step = guess ? landingStep(facts) : null;
  const own = number(facts.chase.car.altitude_m);
  const height = top == null || own == null ? null : top - own;
  // At the sonde the last metres are noise.
  const within =
    isAt(facts, sight) && !guess ? Math.ceil((facts.chase.car.accuracy_m ?? 0) / gpsStep) * gpsStep : null;
  return [
    {
      id: 'distance',
      label: guess ? 'toLanding' : 'toSonde',
      value: number(sight.distance_m),
      step,
      radius: guess ? landingRadius(facts) : null,
      least: guess ? leastDistance(facts) : null,
      within,
      ...trust,
    },
    { id: 'bearing', label: 'bearing', value: angle(sight), ...trust },
    { id: 'height', label: 'height', value: height, within: within && within * heightShare, ...trust },
  ];
}

/** @param {Facts} facts  @param {?Sight} sight  @returns {Line[]} */
function linesToSonde(facts, sight) {
  const both = ageOfBoth(facts);
  const closing = number(sight?.closing_speed_mps);
  return [
    {
      id: 'distance',
      label: 'toSonde',
      value: number(sight?.distance_m),
      sight: sight ?? undefined,
      ...both,
    },
    { id: 'closing', label: 'closing', value: closing, ...both },
    altitudeLine(facts),
  ];
}

/** @param {FactsWithCar} facts  @param {Sight} sight  @returns {Line[]} */
function linesInFlight(facts, sight) {
  const isStraight = facts.chase.route?.method === 'straight_line';
  // The car's distance to a predicted place ages with the car. The small print has the prediction's age.
  const distance = {
    id: 'distance',
    label: 'toLanding',
    value: number(sight.distance_m),
    step: landingStep(facts),
    radius: isPlaced(facts) ? null : landingRadius(facts),
    least: leastDistance(facts),
    sight,
    age: facts.carAge,
  };
  // Where bearings cross nobody knows when it lands.
  if (facts.landing?.source === 'bearings') {
    const bearing = { id: 'bearing', label: 'bearing', value: angle(sight), age: facts.carAge };
    return [{ ...distance, sight: undefined }, bearing, signalLine(facts, 'rssi')];
  }
  // Whoever is there has no way any more.
  if (isInArea(facts, sight)) return [distance, landingLine(facts), altitudeLine(facts)];
  return [
    distance,
    landingLine(facts),
    {
      id: 'margin',
      label: 'margin',
      value: number(facts.chase.margin_s),
      off: landingOff(facts),
      left: number(facts.landingIn),
      isStraight,
      ...ageOfBoth(facts),
    },
  ];
}

/**
 * The first situation that holds: no car; landed, or the sonde is near; no landing point; flying.
 * @param {Facts} facts
 * @returns {Situation}
 */
export function situation(facts) {
  const { chase, landing, phase } = facts;
  const guess = isGuess(facts);
  if (!chase) {
    return {
      target: null,
      lines: linesWithoutCar(facts),
      sight: null,
      turn: null,
      other: null,
      northUp: false,
      isGuess: guess,
      isThere: false,
      isSearch: false,
      isAround: false,
    };
  }
  const withCar = { ...facts, chase };
  /** @type {(target: ?('landing'|'sonde'), lines: Line[], sight: ?Sight) => Situation} */
  const result = (target, lines, sight) => {
    const isExpected = target === 'landing' && !isPlaced(facts);
    const isHere = isExpected ? isInArea(withCar, sight) : isAt(withCar, sight);
    const other = target === 'sonde' ? chase.landing : chase.sonde;
    // Within the GPS's accuracy the needle, or the dot, would turn at random.
    return {
      target,
      lines,
      sight,
      turn: isHere ? null : angle(sight),
      other: isAt(withCar, other) ? null : angle(other),
      northUp: !!sight && number(sight.relative_bearing_deg) == null,
      isGuess: guess,
      isThere: isHere && !isExpected && !guess,
      isSearch: isHere && guess,
      isAround: isHere && isExpected && !guess,
    };
  };
  const isDown = phase === 'landed';
  const leadsToGuess = guess && !!chase.landing;
  const sonde = isDown ? (chase.sonde ?? chase.landing) : chase.sonde;
  const near = leadsToGuess ? chase.landing : sonde;
  if (near && (isDown || isSondeNear(withCar))) {
    return result(leadsToGuess ? 'landing' : 'sonde', linesNearby(withCar, near), near);
  }
  if (isPlaceless(facts) && !landing) return result(null, linesWithoutCar(facts), null);
  if (!landing || !chase.landing) return result('sonde', linesToSonde(facts, sonde), sonde);
  return result('landing', linesInFlight(withCar, chase.landing), chase.landing);
}

/** Seconds: from so many early on nobody need hurry, and from so many late on it is on the ground before. */
const earlyEnough = 300;
const tooLate = -600;

/**
 * How good a margin is. One by the straight line is no level: a green needs a road.
 * @param {?number} seconds
 * @param {boolean} [isStraight]
 * @returns {?('good'|'care'|'bad')}
 */
export function marginLevel(seconds, isStraight) {
  if (seconds == null || isStraight) return null;
  if (seconds > earlyEnough) return 'good';
  return seconds > tooLate ? 'care' : 'bad';
}
