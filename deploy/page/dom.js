import {T} from './texts.js';
export const dialog = () => document.querySelector('dialog');
export const body = document.body, $ = id => document.getElementById(id);
export function el(tag, props, ...children) {
	const e = document.createElement(tag);
	for (const [k, v] of Object.entries(props || {})) {
		if (k.startsWith('on')) e[k] = v;
		else if (v !== false && v != null) e.setAttribute(k, v === true ? '' : v);
	}
	e.append(...children);
	return e;
}
// An unchanged text causes no new layout.
export function put(e, text) { if (e.textContent !== text) e.textContent = text; }
export function cls(e, name, on) { e.classList.toggle(name, !!on); }
export const button = (text, onclick, props) => el('button', {type: 'button', onclick, ...props}, text);
export function sheet(title, ...content) {
	dialog()?.close();
	const d = el('dialog', {'aria-label': title}, el('h2', {}, title), ...content, button(T.close, () => d.close(), {class: 'wide'}));
	d.onclose = d.remove;
	d.onclick = e => e.target == d && d.close();
	body.append(d);
	d.showModal();
	d.scrollTop = 0;
	return d;
}
export function ask(question) {
	return new Promise(resolve => {
		const d = sheet(question, button(T.keep, () => d.close(), {class: 'wide', autofocus: true}), button(T.yes, () => { resolve(true); d.close(); }, {class: 'wide strong', id: 'yes'}));
		d.addEventListener('close', () => resolve(false));
	});
}
let hiding;
export function toast(text) {
	put($('toast'), text);
	$('toast').hidden = false;
	clearTimeout(hiding);
	hiding = setTimeout(() => $('toast').hidden = true, 6000);
}
// The arrow turns the short way.
export const near = (angle, last) => last + ((angle - last) % 360 + 540) % 360 - 180;
