// Speaks and beeps in the page where sound was switched on.
import { $, cls, put } from './dom.js';
import { addIcons } from './icons.js';
import { now } from './model.js';
import { data, isLost, listen } from './stream.js';
import { language, T } from './texts.js';

/** Metres to the sonde below which it beeps. */
const beepsWithin = 500;

/** @type {?AudioContext} */
let audio = null;
/** What the page's one audio context is for: the voice and the beeps, and the signal's tone. */
const wanted = { sound: false, tone: false };
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pacing;
/** @type {{released: boolean} | undefined} */
let lock;

// A phone call stops the tones of a page until it asks for them again.
const isPaused = () => !!audio && !['running', undefined].includes(audio.state);

/** Switches sound on or off in this page; a touch on a button that says "paused" goes on. */
export function toggleSound() {
  if (!toggle('sound')) return;
  if (!wanted.sound) return window.speechSynthesis?.cancel();
  beep();
  pace();
  // iOS speaks only after it was asked to within a touch.
  say(T.soundOn);
}

/** Switches the signal's tone on or off in this page, the voice or not. */
export const toggleTone = () => toggle('tone');

/** Whether the signal's tone is heard in this page. */
export const isToneOn = () => wanted.tone && !isPaused();

/**
 * A touch on what is paused goes on. Returns whether it was switched.
 * @param {keyof typeof wanted} name
 */
function toggle(name) {
  const isGoingOn = wanted[name] && isPaused();
  if (!isGoingOn) wanted[name] = !wanted[name];
  if (!wanted.sound && !wanted.tone) end();
  else if (audio) resume();
  else begin();
  showState();
  return !isGoingOn;
}

function begin() {
  audio = new AudioContext();
  audio.onstatechange = resume;
  resume();
}

function end() {
  const ended = audio;
  audio = null;
  if (!ended) return;
  ended.onstatechange = null;
  ended.close();
}

/** Asks for the tones again. Where the browser wants a touch first, the next touch asks anew. */
async function resume() {
  try {
    if (isPaused()) await audio?.resume();
  } catch {
    // The button says so.
  }
  showState();
}

// The button says what is true, not what was wished.
function showState() {
  const isOn = wanted.sound && !isPaused();
  put($('sound').lastChild, wanted.sound && isPaused() ? T.soundPaused : T.sound);
  $('sound').dataset.icon = isOn ? 'sound' : 'mute';
  addIcons();
  cls($('sound'), 'on', isOn);
  $('sound').setAttribute('aria-pressed', String(isOn));
}

/**
 * Sounds a short tone.
 * @param {number} [hertz]
 */
export function beep(hertz = 880) {
  // Tones of a context that stands still would all sound at once when it goes on.
  if (!audio || isPaused()) return;
  const tone = audio.createOscillator();
  tone.frequency.value = hertz;
  tone.connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.1);
}

// One beep a second at 500 m, five near the sonde.
function pace() {
  clearTimeout(pacing);
  if (!wanted.sound) return;
  const s = now();
  const isLive = s.target === 'sonde' && s.lines[0].age < 10000 && !isLost();
  const distance = isLive ? (s.sight?.distance_m ?? Infinity) : Infinity;
  const isNear = distance < beepsWithin;
  // The signal's tone says more, and two tones at once say nothing.
  if (isNear && !isToneOn()) beep();
  pacing = setTimeout(pace, isNear ? 200 + (800 * distance) / beepsWithin : 500);
}

listen(() => {
  const { event } = data;
  if (event && event.speak !== false) say(event.speech ?? event.text, event.language);
}, 'event');

/**
 * Says a sentence: by voice where sound is on.
 * @param {string} text
 * @param {string} [spoken]  Its language.
 */
export function say(text, spoken = language) {
  if (!wanted.sound || !window.speechSynthesis) return;
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
for (const event of ['pointerdown', 'visibilitychange']) {
  document.addEventListener(event, keepAwake);
  document.addEventListener(event, touched => {
    // The button itself asks.
    const isButton = touched.target instanceof Element && touched.target.closest('#sound, #tone');
    if (!isButton && !document.hidden && isPaused()) resume();
  });
}
keepAwake();
