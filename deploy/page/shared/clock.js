// The page's clock. A browser's monotonic clock stands still while a tablet sleeps; the wall clock goes on.

/** Milliseconds that the wall clock may gain by being set, without anybody having slept. */
const tolerance = 1000;

/** @typedef {{steady: () => number, wall: () => number}} Clocks  Milliseconds of each. */

/**
 * Makes a clock that only goes forward, and counts sleep.
 * @param {Clocks} clocks
 */
export function clock({ steady, wall }) {
  let slept = 0;
  let apart = wall() - steady();
  return () => {
    const now = wall() - steady();
    if (now - apart > tolerance) slept += now - apart;
    apart = now;
    return steady() + slept;
  };
}

/** Milliseconds since the page was opened, sleep included. */
export const now = clock({ steady: () => performance.now(), wall: () => Date.now() });
