// Screens, keys, night colours, signs of loss.
import {$, el, put, cls, button, sheet, body, dialog} from './dom.js';
import {start, listen, isLost, silence, isSynced, gatewayTime, position, landing, proposal} from './stream.js';
import {T} from './texts.js';
import * as u from './units.js';
import {drawDrive} from './drive.js';
import {startMap, drawMap, nextMode, chooseLayers, recolour, zoom, pan, more} from './map.js';
import {startReceiver, drawReceiver, shownReceiver, showPanel, drawPanel} from './receiver.js';
import {acceptProposal} from './command.js';
import {toggleSound} from './sound.js';
import {chase} from './model.js';
import {sunHeight} from './sun.js';
const screens = ['drive', 'map', 'receiver'];
function show(name) {
	for (const s of screens) {
		$(s).hidden = s != name;
		$('go-' + s).setAttribute('aria-current', s == name);
	}
	history.replaceState(null, '', '#' + name);
	if (name == 'receiver') shownReceiver();
	draw();
}
let due;
// Draws at most once a frame.
const later = () => due ??= requestAnimationFrame(draw);
function draw() {
	due = null;
	cls(body, 'lost', isLost());
	put($('lost'), isLost() ? T.lostFor(u.span(silence())) : '');
	put($('offer'), `${T.tune} ${u.mhz(proposal()?.frequency_mhz)}`);
	$('offer').hidden = !proposal();
	colours();
	drawDrive();
	drawMap();
	drawReceiver();
	drawPanel();
}
const nights = ['on', 'off', 'auto'];
function colours() {
	const place = chase()?.car ?? position() ?? landing(), choice = localStorage.night || 'auto';
	const dark = choice != 'auto' ? choice == 'on' : place && isSynced() ? sunHeight(gatewayTime(), place.latitude, place.longitude) < -3 : matchMedia('(prefers-color-scheme: dark)').matches;
	if (body.classList.contains('night') == !!dark) return;
	cls(body, 'night', dark);
	recolour();
}
const nextNight = () => { localStorage.night = nights[(nights.indexOf(localStorage.night) + 1) % 3]; put($('night').lastChild, `${T.night} ${localStorage.night}`); draw(); };
const acts = {
	d: () => show('drive'), m: () => show('map'), r: () => show('receiver'), i: showPanel, f: nextMode, l: chooseLayers, n: nextNight, s: toggleSound, '?': () => sheet(T.keys, T.help),
	u: () => { u.nextUnits(); draw(); }, '+': () => zoom(1), '-': () => zoom(-1), ' ': acceptProposal,
	ArrowLeft: () => pan(-1, 0), ArrowRight: () => pan(1, 0), ArrowUp: () => pan(0, -1), ArrowDown: () => pan(0, 1),
};
document.addEventListener('keydown', e => {
	const act = acts[e.key], on = e.target, isDialog = dialog();
	if (!act || e.ctrlKey || e.altKey || e.metaKey || on.matches('input,select') || e.key == ' ' && on.matches('button') || isDialog && e.key != 'i' || e.key[5] && $('map').hidden) return;
	e.preventDefault();
	act();
});
for (const s of screens) $('nav').append(button(T[s], () => show(s), {id: 'go-' + s}));
$('nav').append(button('', acceptProposal, {id: 'offer', class: 'strong mine'}));
for (const [id, icon, act] of [['follow', '◎', nextMode], ['layers', '☰', chooseLayers], ['night', '◐', nextNight], ['sound', '♪', toggleSound], ['more', '…', more]]) {
	$('buttons').append(el('button', {id, onclick: act}, el('span', {'aria-hidden': 'true'}, icon), T[id]));
}
$('strip').onclick = $('numbers').onclick = $('small').onclick = showPanel;
$('unstarted').remove();
startMap();
startReceiver();
listen(later);
start();
show(screens.find(s => '#' + s == location.hash) || 'drive');
