// Makes and changes elements.
import { T } from './texts.js';

export const body = document.body;

/**
 * An element that the page always has, by its id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export const $ = id => /** @type {HTMLElement} */ (document.getElementById(id));

/** The open dialog, or null. */
export const dialog = () => document.querySelector('dialog');

/**
 * Makes an element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [props]  `on…` is a handler, the rest are attributes;
 *   false and null are left out.
 * @param {...(string|Node)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(props || {})) {
    if (key.startsWith('on')) Object.assign(e, { [key]: value });
    else if (value !== false && value != null) e.setAttribute(key, value === true ? '' : String(value));
  }
  e.append(...children);
  return e;
}

/**
 * Sets an element's text. An unchanged text causes no new layout.
 * @param {?Node} e
 * @param {?string} text
 */
export function put(e, text) {
  if (e && e.textContent !== text) e.textContent = text;
}

/**
 * Sets or removes a class.
 * @param {?Element} e
 * @param {string} name
 * @param {unknown} on
 */
export function cls(e, name, on) {
  e?.classList.toggle(name, !!on);
}

/** @param {string} text  @param {(event: MouseEvent) => void} onclick  @param {Record<string, unknown>} [props] */
export const button = (text, onclick, props) => el('button', { type: 'button', onclick, ...props }, text);

/**
 * The message stays.
 * @param {HTMLDialogElement} d
 */
function remove(d) {
  body.append($('toast'));
  d.remove();
}

/**
 * Opens a dialog, and removes the one that is open: its event arrives a moment later.
 * @param {string} title
 * @param {...(string|Node)} content
 */
function open(title, ...content) {
  const last = dialog();
  last?.close();
  if (last) remove(last);
  const d = el('dialog', { 'aria-label': title }, el('h2', {}, title), ...content);
  d.onclose = () => remove(d);
  // A handler that returns false would take a button's own effect away, for example that a form is sent.
  d.onclick = e => {
    if (e.target === d) d.close();
  };
  // There is more below: a sign says so.
  const hint = () => cls(d, 'more', d.scrollHeight - d.scrollTop - d.clientHeight > 8);
  d.onscroll = hint;
  body.append(d);
  d.showModal();
  d.scrollTop = 0;
  hint();
  new ResizeObserver(hint).observe(d);
  return d;
}

/**
 * Opens a dialog with a title and a button to close it; closes the one that is open.
 * @param {string} title
 * @param {...(string|Node)} content
 */
export function sheet(title, ...content) {
  const close = button(T.close, () => dialog()?.close(), { class: 'wide close' });
  return open(title, ...content, close);
}

/**
 * Asks a question. The default answer is no.
 * @param {string} question
 * @param {string} no  The words of the default answer.
 * @returns {Promise<boolean>}
 */
export function ask(question, no = T.keep) {
  return new Promise(resolve => {
    const keep = button(no, () => d.close(), { class: 'wide strong', autofocus: true });
    const agree = () => {
      resolve(true);
      d.close();
    };
    const d = open(question, keep, button(T.yes, agree, { class: 'wide', id: 'yes' }));
    d.addEventListener('close', () => resolve(false));
  });
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding;

/**
 * Shows a short message for 6 s. An open dialog hides what is not in it.
 * @param {string} text
 * @param {boolean} [isOfScreen]  It goes with the screen that it was asked on.
 */
export function toast(text, isOfScreen = false) {
  $('toast').dataset.here = String(isOfScreen);
  (dialog() ?? body).append($('toast'));
  put($('toast'), text);
  $('toast').hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    $('toast').hidden = true;
  }, 6000);
}

/** Hides a message that belongs to the screen that is left. */
export function leaveToast() {
  if ($('toast').dataset.here === 'true') $('toast').hidden = true;
}

/**
 * The angle plus whole turns that is nearest to the last one: the arrow turns the short way.
 * @param {number} angle  Degrees.
 * @param {number} last
 */
export const near = (angle, last) => last + ((((angle - last) % 360) + 540) % 360) - 180;
