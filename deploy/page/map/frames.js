// Work that may wait is spread over frames, so that a map that moves never stands still for it.

/** Milliseconds of a frame for such work: at 60 frames a second one has 16, and the browser draws, too. */
const share = 5;

/** @type {Array<() => void>} */
const waiting = [];

function work() {
  const end = performance.now() + share;
  do waiting.shift()?.();
  while (waiting.length && performance.now() < end);
  if (waiting.length) requestAnimationFrame(work);
}

/**
 * Calls `act` in one of the next frames; each in its turn.
 * @param {() => void} act
 */
export function inFrames(act) {
  waiting.push(act);
  if (waiting.length === 1) requestAnimationFrame(work);
}
