// The climb as a chart shows it. It reads nothing but its argument.

/** Milliseconds over which the climb is a mean: the differences of single positions are noise. */
const span = 15000;

/**
 * @param {Array<[number, number]>} profile  Milliseconds since 1970, metres; in the order of time.
 * @returns {Array<[number, ?number]>} Milliseconds since 1970, metres a second; null at the begin.
 */
export function climbs(profile) {
  let first = 0;
  return profile.map(([t, altitude], i) => {
    // The newest point that is a whole span earlier; in a thinned profile the one before.
    while (first + 1 < i && profile[first + 1][0] <= t - span) first++;
    const [before, lower] = profile[first];
    return [t, t - before >= span ? ((altitude - lower) * 1000) / (t - before) : null];
  });
}
