// Drive: three giant numbers, small print, and the guide once it is there.
import { $, body, cls, el, put } from '../shared/dom.js';
import { aged, border, now, sondeLimit } from '../shared/model.js';
import { heard, isLost, isReplaced, since } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { levelShape } from './level.js';
import { lineText, smallPrint } from './words.js';

/** @typedef {import('./situation.js').Situation} Situation */

/** The letters with which widths are measured: some fonts come after the first numbers. */
const penSize = 100;
/** The size of a unit beside the first number and beside the others, and that of the uncertainty. */
const unitSizes = { first: 0.4, other: 0.34 };
const doubtSize = 0.46;
/** What the second and third number are of the screen's shorter side at least. */
const leastShare = 0.115;
/** Pixels beside and between two numbers on a small screen. */
const sides = 52;

const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));

/**
 * The width of a text in the height of its letters. All digits are as wide.
 * @param {string} text
 */
const widthOf = text => pen.measureText(text.replace(/\d/g, '0')).width / penSize;

/** @param {u.Figure} figure  @param {number} [unitSize] */
const figureWidth = (figure, unitSize = unitSizes.first) =>
  figure.reduce((sum, part, i) => sum + widthOf(part) * (i % 2 ? unitSize : 1) + (i ? 0.18 : 0), 0);

/**
 * The width of what stands beside a number.
 * @param {?u.Figure} doubt
 * @param {?string} level
 */
const extraWidth = (doubt, level) =>
  (doubt ? (figureWidth(doubt) + 1.2) * doubtSize + 0.35 : 0) + (level ? 0.7 : 0);

/** @param {u.Figure} figure  Numbers are large, units small beside them. */
const figureParts = figure => figure.map((part, i) => el(i % 2 ? 'i' : 'b', {}, part));

/**
 * Makes the three numbers of Drive, or of Map, and returns what draws them.
 * `saidAbove` is the age that stands beside them already.
 * @param {HTMLElement} box
 * @param {() => string} saidAbove
 */
function lines(box, saidAbove = () => '') {
  const made = [0, 1, 2].map(() => {
    const label = el('span', { class: 'label' });
    const age = el('span', { class: 'age' });
    const number = el('span', { class: 'number' });
    const root = el('div', { class: 'line' }, el('div', { class: 'top' }, label, age), number);
    box.append(root);
    return { label, age, number, root, wide: 1 };
  });
  /** @param {Situation} situation */
  return situation => {
    // An age of minutes is said once.
    let said = '';
    pen.font = `700 ${penSize}px ${getComputedStyle(body).fontFamily}`;
    const above = saidAbove();
    situation.lines.forEach((line, i) => {
      const l = made[i];
      const { label, figure, doubt, level } = lineText(line, situation, word);
      const { words, isOld, isGone } = aged(figure[0], line.age, line.limit);
      const isSaid = (isGone && words === said) || words === above;
      if (isGone) said = words;
      l.root.dataset.id = line.id;
      put(l.label, label);
      put(l.age, isSaid ? '' : words);
      putNumber(l.number, figure, doubt, isOld ? null : level);
      l.wide = figureWidth(figure, i ? unitSizes.other : unitSizes.first) + extraWidth(doubt, level);
      cls(l.root, 'old', isOld);
      cls(l.root, 'gone', isGone);
    });
    // The style sheet makes the letters as large as this allows: a long text is smaller, never squeezed.
    const [first, second, third] = made.map(l => l.wide);
    box.style.setProperty('--first', first.toFixed(2));
    // Side by side the two below have one size.
    box.style.setProperty('--beside', (second + third).toFixed(2));
    // One above the other each has its own: a long direction in words makes no number smaller.
    for (const { root, wide } of made) root.style.setProperty('--own', wide.toFixed(2));
    // Where the two would be too small side by side, they stand below one another.
    const least = leastShare * Math.min(innerWidth, innerHeight);
    const room = box.clientWidth - sides;
    cls(box, 'stacked', room > 0 && (second + third) * least > room);
  };
}

/**
 * Shows a figure, what it may be off, and its level. An unchanged one causes no new layout.
 * @param {HTMLElement} box
 * @param {u.Figure} figure
 * @param {?u.Figure} doubt
 * @param {?string} level
 */
function putNumber(box, figure, doubt, level) {
  const key = JSON.stringify([figure, doubt, level]);
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  /** @type {Element[]} */
  const parts = figureParts(figure);
  if (level) parts.unshift(levelShape(level));
  if (doubt) parts.push(el('span', { class: 'doubt' }, ...figureParts([`± ${doubt[0]}`, ...doubt.slice(1)])));
  box.replaceChildren(...parts);
  box.className = `number ${level ?? ''}`.trim();
}

const showBig = lines($('numbers'));
const showSmall = lines($('strip'), () => aged('', heard(), sondeLimit()).words);

/**
 * The advice and the dial, which come later than the numbers.
 * @type {?typeof import('./guide.js')}
 */
let guide = null;
/**
 * The advice that the driver reads.
 * @type {import('./advice.js').Word | undefined}
 */
let word;

/**
 * What the sonde does is in bold, and grey once it is old. A line ends between two parts.
 * @param {string} text
 */
function putSmall(text) {
  cls($('small'), 'old', aged('', heard(), sondeLimit()).isOld);
  if ($('small').textContent === text) return;
  const parts = text.split(' · ').map((part, i, all) => {
    const words = i < all.length - 1 ? `${part} ·` : part;
    return [el(i ? 'span' : 'b', {}, words), i < all.length - 1 ? ' ' : ''];
  });
  $('small').replaceChildren(...parts.flat());
}

/** @param {typeof import('./guide.js')} part */
export function useGuide(part) {
  guide = part;
}

/**
 * What the tab says: how far, and when it lands; the advice while there is no number.
 * @param {Situation} s
 */
function title(s) {
  const numbers = s.lines.slice(0, s.target === 'landing' ? 2 : 1).map(line => {
    const { figure, doubt } = lineText(line, s);
    return figure[0] === '–' ? '' : u.text(figure) + (doubt ? ` ± ${u.text(doubt)}` : '');
  });
  const isDown = word === 'landed' && T.advices.landed;
  return u.joined(isDown, ...numbers, 'sondygo2mqtt');
}

/** Draws the border, the title and, on Drive or Map, the numbers. */
export function drawDrive() {
  const s = now();
  word = guide?.adviceNow(s);
  document.title = title(s);
  const [colour] = border();
  body.dataset.border = colour;
  cls(body, 'silent', colour === 'grey' && Number.isFinite(heard()));
  if (!$('drive').hidden) {
    showBig(s);
    putSmall(smallPrint(s));
    guide?.drawGuide(s);
    $('drive').dataset.target = s.target || 'none';
  } else if (!$('map').hidden) {
    showSmall(s);
    guide?.drawOnMap(s);
  }
  // Only a sign of life shows that what comes again is not late: until then a loss is not announced as over.
  const isOver = !isLost() && (!$('alert').textContent || since('alive') < 5000);
  put($('alert'), isReplaced() ? T.replaced : isOver ? '' : T.lost);
}
