// The tone of the signal: the stronger, the higher and the faster.

import { beep, isToneOn, toggleTone } from '../shared/sound.js';
import { isLost, listen, now } from '../shared/stream.js';
import { signal } from './heard.js';
import { interval, isFresh, pitch } from './signal.js';

/** Milliseconds between the begins of two tones at least. */
const least = 120;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let soundedAt = Number.NEGATIVE_INFINITY;

// A tone now, and the next one in time, until the frame is too old to tell anything.
function sound() {
  clearTimeout(timer);
  const heard = signal();
  if (!heard || !isToneOn() || isLost() || !isFresh(heard)) return;
  const wait = soundedAt + least - now();
  if (wait > 0) {
    timer = setTimeout(sound, wait);
    return;
  }
  soundedAt = now();
  beep(pitch(heard.rssi));
  timer = setTimeout(sound, interval(heard.rssi));
}

// Each frame is heard at once.
listen(sound, 'signal');

/** Switches the tone on or off. */
export function touchTone() {
  toggleTone();
  sound();
}
