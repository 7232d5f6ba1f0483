// Speaks and beeps in the page where sound was switched on.
import {data, listen, isLost} from './stream.js';
import {situation} from './model.js';
import {$, cls} from './dom.js';
const close = 500;
let audio, lock;
export function toggleSound() {
	if (audio) { audio.close(); audio = null; window.speechSynthesis?.cancel(); } else { audio = new AudioContext(); beep(); pace(); }
	cls($('sound'), 'on', audio);
	$('sound').setAttribute('aria-pressed', !!audio);
}
function beep() {
	const o = audio.createOscillator();
	o.frequency.value = 880;
	o.connect(audio.destination);
	o.start();
	o.stop(audio.currentTime + .1);
}
// One beep a second at 500 m, five near the sonde.
function pace() {
	if (!audio) return;
	const s = situation(), d = s.target == 'sonde' && s.lines[0].age < 10000 && !isLost() ? s.sight?.distance_m : Infinity;
	if (d < close) beep();
	setTimeout(pace, d < close ? 200 + 800 * d / close : 500);
}
listen(() => {
	if (audio && data.event.speak !== false && window.speechSynthesis) {
		const words = new SpeechSynthesisUtterance(data.event.speech ?? data.event.text);
		words.lang = 'en';
		speechSynthesis.speak(words);
	}
}, 'event');
async function keepAwake() {
	try { if (!document.hidden && (!lock || lock.released)) lock = await navigator.wakeLock?.request('screen'); } catch { /* not here */ }
}
for (const e of ['pointerdown', 'visibilitychange']) document.addEventListener(e, keepAwake);
keepAwake();
