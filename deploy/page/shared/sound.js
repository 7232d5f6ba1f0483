// Speaks and beeps in the page where sound was switched on.
import { $, cls } from './dom.js';
import { now } from './model.js';
import { data, isLost, listen } from './stream.js';
import { language } from './texts.js';

/** Metres to the sonde below which it beeps. */
const beepsWithin = 500;

/** @type {?AudioContext} */
let audio = null;
let lock;

/** Switches sound on or off in this page. */
export function toggleSound() {
  if (audio) {
    audio.close();
    audio = null;
    window.speechSynthesis?.cancel();
  } else {
    audio = new AudioContext();
    beep();
    pace();
  }
  cls($('sound'), 'on', audio);
  $('sound').setAttribute('aria-pressed', String(!!audio));
}

function beep() {
  const tone = audio.createOscillator();
  tone.frequency.value = 880;
  tone.connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.1);
}

// One beep a second at 500 m, five near the sonde.
function pace() {
  if (!audio) return;
  const s = now();
  const isLive = s.target === 'sonde' && s.lines[0].age < 10000 && !isLost();
  const distance = isLive ? (s.sight?.distance_m ?? Infinity) : Infinity;
  const isNear = distance < beepsWithin;
  if (isNear) beep();
  setTimeout(pace, isNear ? 200 + (800 * distance) / beepsWithin : 500);
}

listen(() => {
  if (data.event.speak !== false) say(data.event.speech ?? data.event.text, data.event.language);
}, 'event');

/**
 * Says a sentence: by voice where sound is on.
 * @param {string} text
 * @param {string} [spoken]  Its language.
 */
export function say(text, spoken = language) {
  if (!audio || !window.speechSynthesis) return;
  const words = new SpeechSynthesisUtterance(text);
  words.lang = spoken;
  speechSynthesis.speak(words);
}

async function keepAwake() {
  if (document.hidden || (lock && !lock.released)) return;
  try {
    lock = await /** @type {any} */ (navigator).wakeLock?.request('screen');
  } catch {
    // This browser does not grant it.
  }
}
for (const event of ['pointerdown', 'visibilitychange']) document.addEventListener(event, keepAwake);
keepAwake();
