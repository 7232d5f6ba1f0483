// The signal over time as a chart shows it. It reads nothing but its arguments.

/** Milliseconds without a level that break the line, if the sonde was seen meanwhile. */
const gap = 60000;

/**
 * What was recorded since the flight began, then what the page has heard since.
 * @param {Array<[number, number, ?number, ?number]>} profile  Milliseconds since 1970, metres, metres a second, dBm; in
 *   the order of time.
 * @param {Array<[number, ?number]>} heard  Milliseconds since 1970, dBm; in the order of time.
 * @returns {Array<[number, ?number]>} Milliseconds since 1970, dBm; null where the line has a gap.
 */
export function levels(profile, heard) {
  /** @type {Array<[number, ?number]>} */
  const rows = [];
  let isMissing = false;
  for (const [t, , , level] of profile) {
    if (level == null) {
      isMissing = true;
      continue;
    }
    // A single second without a level is no silence.
    if (isMissing && t - (rows.at(-1)?.[0] ?? t) > gap) rows.push([t - 1, null]);
    isMissing = false;
    rows.push([t, level]);
  }
  const last = rows.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY;
  return [...rows, ...heard.filter(([t]) => t > last)];
}
