// An arrow, three giant numbers, small print.
import {$, el, put, cls, near, body} from './dom.js';
import {situation, smallPrint, border, aged} from './model.js';
import {T} from './texts.js';
import * as u from './units.js';
// The numbers of Drive, and of Map.
function lines(box) {
	const made = [0, 1, 2].map(() => {
		const l = {label: el('span', {class: 'label'}), value: el('b'), unit: el('i'), age: el('span', {class: 'age'})};
		l.number = el('span', {class: 'number'}, el('span', {class: 'fit'}, l.value, l.unit));
		l.root = el('div', {class: 'line'}, el('div', {class: 'top'}, l.label, l.age), l.number);
		box.append(l.root);
		return l;
	});
	let said;
	return numbers => numbers.forEach((n, i) => {
		const l = made[i], [age, isOld, isGone] = aged(n.value, n.age, n.limit);
		// An age of minutes is said once.
		if (!i) said = '';
		const isSaid = isGone && age == said;
		if (isGone) said = age;
		l.root.dataset.id = n.id;
		put(l.label, n.label);
		put(l.age, isSaid ? '' : age);
		put(l.value, n.value);
		put(l.unit, n.unit);
		cls(l.root, 'old', isOld);
		cls(l.root, 'gone', isGone);
		fit(l.number);
	});
}
// A long text becomes narrower, not lower.
function fit(e) {
	const inner = e.firstChild, key = inner.textContent + e.clientWidth + innerHeight;
	if (e.dataset.fit === key) return;
	e.dataset.fit = key;
	inner.style.transform = '';
	const fits = e.clientWidth / inner.offsetWidth;
	if (fits < 1 && fits) inner.style.transform = `scaleX(${fits})`;
}
const showBig = lines($('numbers')), showSmall = lines($('strip'));
let turn = 0, other = 0;
export function drawDrive() {
	const s = situation(), [colour] = border();
	body.dataset.border = colour;
	if (!$('drive').hidden) {
		showBig(s.lines);
		put($('small'), smallPrint(s));
		cls($('arrow'), 'none', s.turn == null);
		cls($('arrow'), 'old', aged('', s.lines[0].age, s.lines[0].limit)[1]);
		cls($('arrow'), 'north', s.northUp);
		$('needle').style.transform = `rotate(${turn = near(s.turn ?? turn, turn)}deg)`;
		cls($('dot'), 'none', s.other == null);
		$('dot').style.transform = `rotate(${other = near(s.other ?? other, other)}deg)`;
		$('drive').dataset.target = s.target || 'none';
		$('arrow').setAttribute('aria-label', s.target ? u.joined(s.target == 'sonde' ? T.toSonde : T.toLanding, s.direction) : T.noCar);
	} else if (!$('map').hidden) showSmall(s.lines);
}
