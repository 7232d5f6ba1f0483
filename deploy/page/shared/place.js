// Links, codes and texts for a place.
import { body, dialog, el, put, toast } from './dom.js';
import { loadScript } from './load.js';
import { appleNavigation, degrees, googleNavigation } from './navigation.js';
import { data } from './stream.js';
import { T } from './texts.js';

/**
 * The links of a place to a person's phone: any map, and two for navigation by the crew's way of travelling.
 * @param {Placed} p
 */
export function links(p) {
  const where = degrees(p);
  const mode = data.chase?.route?.mode;
  const outside = { class: 'button', target: '_blank', rel: 'noreferrer' };
  return [
    el('a', { class: 'button', href: `geo:${where}?q=${where}` }, T.geo),
    el('a', { ...outside, href: googleNavigation(p, mode) }, T.navigateGoogle),
    el('a', { ...outside, href: appleNavigation(p, mode) }, T.navigateApple),
  ];
}

/**
 * Works over plain HTTP, where browsers have no clipboard for scripts.
 * @param {string} text
 */
function copyOldWay(text) {
  const field = el('textarea', { class: 'unseen' });
  field.value = text;
  (dialog() ?? body).append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  return isDone;
}

/**
 * Copies a text, and says whether it worked.
 * @param {string} text
 */
export async function copy(text) {
  let isDone = false;
  try {
    await navigator.clipboard.writeText(text);
    isDone = true;
  } catch {
    isDone = copyOldWay(text);
  }
  toast(isDone ? T.copied(text) : T.notCopied);
}

/**
 * A QR code as a picture; without Debian's file, words.
 * @param {string} text
 * @param {string} name  What it is, for a screen reader.
 */
export function code(text, name) {
  const picture = el('canvas', { class: 'code', role: 'img', 'aria-label': name });
  const words = el('p', {}, '');
  draw(picture, text).catch(() => {
    picture.remove();
    put(words, T.noCode);
  });
  return el('div', {}, picture, words);
}

const command = 'sudo sondygo2mqtt setup --tablets yes';

/**
 * How a phone opens the page.
 * @param {?{url: ?string, name?: ?string}} [link]  As `/api/link`: no `url` if other machines can't open the page.
 */
export const joining = link => {
  const { url, name } = link ?? {};
  if (!url) return [el('p', {}, `${T.joinLocal} `, el('code', {}, command))];
  return [
    el('p', {}, T.joinBy(url)),
    ...(name ? [el('p', { class: 'dim' }, T.joinName(name))] : []),
    el('div', { class: 'joining' }, code(url, T.joinBy(url))),
  ];
};

/** @param {HTMLCanvasElement} picture  @param {string} text */
async function draw(picture, text) {
  if (!window.qrcode) await loadScript('qrcode/qrcode.js');
  const made = window.qrcode(0, 'M');
  made.addData(text);
  made.make();
  const count = made.getModuleCount();
  const cell = 6;
  const margin = 4;
  picture.width = (count + 2 * margin) * cell;
  picture.height = picture.width;
  const g = picture.getContext('2d');
  if (!g) throw new Error('no canvas');
  g.fillStyle = '#fff';
  g.fillRect(0, 0, picture.width, picture.height);
  g.fillStyle = '#000';
  for (let row = 0; row < count; row++) {
    for (let column = 0; column < count; column++) {
      if (made.isDark(row, column)) g.fillRect((column + margin) * cell, (row + margin) * cell, cell, cell);
    }
  }
}
