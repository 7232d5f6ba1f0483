// Drive: the advice, a dial, three giant numbers, small print.
import { $, body, cls, el, put } from '../shared/dom.js';
import { levelShape, putIcon } from '../shared/icons.js';
import { aged, border, facts, now, sondeLimit } from '../shared/model.js';
import { now as clock, heard, isLost, isReplaced, landing } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { advise } from './advice.js';
import { drawDial } from './dial.js';
import { sentence } from './sentences.js';
import { chipText, lineText, nearText, smallPrint, where } from './words.js';

/** @typedef {import('./situation.js').Situation} Situation */

/** How wide signs are, in the height of the letters: to choose a size at which a text fits. */
const widths = { digit: 0.7, sign: 0.35, letter: 0.7, narrow: 0.42 };
/** The size of a unit, and that of the uncertainty, beside a number. */
const unitSize = 0.4;
const doubtSize = 0.46;

// The width of a text in the height of its letters, rather too large than too small.
function widthOf(text) {
  let sum = 0;
  for (const sign of text) {
    if (/[.,:'’ \u00a0\u202f]/.test(sign)) sum += widths.sign;
    else if (/[ijltfrI1]/.test(sign) && !/\d/.test(sign)) sum += widths.narrow;
    else sum += /[mwMW]/.test(sign) ? 1.05 : /\d/.test(sign) ? widths.digit : widths.letter;
  }
  return sum;
}

/** @param {u.Figure} figure */
const figureWidth = figure =>
  figure.reduce((sum, part, i) => sum + widthOf(part) * (i % 2 ? unitSize : 1) + (i ? 0.18 : 0), 0);

/** @param {u.Figure} figure  Numbers are large, units small beside them. */
const figureParts = figure => figure.map((part, i) => el(i % 2 ? 'i' : 'b', {}, part));

// Makes the three numbers of Drive, or of Map, and returns what draws them.
// `saidAbove` is the age that stands beside them already.
function lines(box, saidAbove = () => '') {
  const made = [0, 1, 2].map(() => {
    const label = el('span', { class: 'label' });
    const age = el('span', { class: 'age' });
    const number = el('span', { class: 'number' });
    const root = el('div', { class: 'line' }, el('div', { class: 'top' }, label, age), number);
    box.append(root);
    return { label, age, number, root };
  });
  /** @param {Situation} situation */
  return situation => {
    // An age of minutes is said once.
    let said = '';
    const above = saidAbove();
    situation.lines.forEach((line, i) => {
      const l = made[i];
      const { label, figure, doubt, level } = lineText(line, situation, held.word);
      const { words, isOld, isGone } = aged(figure[0], line.age, line.limit);
      const isSaid = (isGone && words === said) || words === above;
      if (isGone) said = words;
      l.root.dataset.id = line.id;
      put(l.label, label);
      put(l.age, isSaid ? '' : words);
      putNumber(l.number, figure, doubt, isOld ? null : level);
      cls(l.root, 'old', isOld);
      cls(l.root, 'gone', isGone);
    });
    const [first, ...rest] = made.map(l => Number(l.number.dataset.wide));
    box.style.setProperty('--first', String(first));
    // The two below have one size.
    box.style.setProperty('--rest', String(Math.max(...rest)));
  };
}

/**
 * Shows a figure, what it may be off, and its level. An unchanged one causes no new layout.
 * @param {any} box
 * @param {u.Figure} figure
 * @param {?u.Figure} doubt
 * @param {?string} level
 */
function putNumber(box, figure, doubt, level) {
  const key = JSON.stringify([figure, doubt, level]);
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  const parts = figureParts(figure);
  if (level) parts.unshift(levelShape(level));
  if (doubt) parts.push(el('span', { class: 'doubt' }, ...figureParts([`± ${doubt[0]}`, ...doubt.slice(1)])));
  box.replaceChildren(...parts);
  box.className = `number ${level ?? ''}`.trim();
  const extra = (doubt ? (figureWidth(doubt) + 1.2) * doubtSize + 0.35 : 0) + (level ? 0.76 : 0);
  // The style sheet makes the letters as large as this width allows: a long text is smaller, never squeezed.
  box.dataset.wide = (figureWidth(figure) + extra).toFixed(2);
}

const showBig = lines($('numbers'));
const showSmall = lines($('strip'), () => aged('', heard(), sondeLimit()).words);

/** @type {import('./advice.js').Held} */
let held = { word: 'nothing', next: null, since: 0 };

/** @param {Situation} s */
function drawAdvice(s) {
  const { icon, tone, heading, why } = sentence(held.word, s);
  // What lies over all screens says already that the gateway is away.
  $('advice').hidden = isLost() || isReplaced;
  $('advice').dataset.word = held.word;
  $('advice').dataset.tone = tone;
  putIcon($('sign'), icon);
  put($('word'), heading);
  put($('why'), why ?? '');
}

/** Where it lands, in words, where the dial would be. @param {Situation} s */
function drawWhere(s) {
  const place = s.target ? null : landing();
  const near = place && nearText(place.near);
  const radius = place?.error_radius_50_m;
  const parts = [
    place && el('span', { class: 'dim' }, T.landingAt),
    place && el('b', {}, near ?? u.place(place)),
    radius && el('span', { class: 'doubt' }, `± ${u.text(u.radius(radius))}`),
    near && el('span', { class: 'dim' }, u.place(place)),
  ].filter(Boolean);
  const key = parts.map(part => part.textContent).join('|');
  if ($('where').dataset.key === key) return;
  $('where').dataset.key = key;
  $('where').replaceChildren(...parts);
}

/** @param {Situation} s */
function drawArrow(s) {
  const isOld = aged('', s.lines[0].age, s.lines[0].limit).isOld;
  cls($('arrow'), 'none', !s.sight);
  cls($('arrow'), 'old', isOld);
  const { form, half } = drawDial(held.word, facts(), s);
  const target = s.target === 'sonde' ? T.toSonde : T.toLanding;
  const wide = form === 'sector' ? T.sector(Math.round(2 * half)) : form === 'area' && T.areaAround;
  $('arrow').setAttribute('aria-label', s.target ? u.joined(target, where(s), wide) : T.noCar);
}

const chipIcons = { green: 'receiver', orange: 'sondehub', red: 'bad', grey: 'silent' };

/** What the tab says: how far, and when it lands; the advice while there is no number. @param {Situation} s */
function title(s) {
  const numbers = s.lines.slice(0, s.target === 'landing' ? 2 : 1).map(line => {
    const { figure, doubt } = lineText(line, s);
    return figure[0] === '–' ? '' : u.text(figure) + (doubt ? ` ± ${u.text(doubt)}` : '');
  });
  const isDown = held.word === 'landed' && T.advices.landed;
  return u.joined(isDown, ...numbers, 'sondygo2mqtt');
}

/** Draws the border, the title and, on Drive or Map, the numbers. */
export function drawDrive() {
  const s = now();
  held = advise(held, facts(), s, clock());
  document.title = title(s);
  const [colour] = border();
  body.dataset.border = colour;
  cls(body, 'silent', colour === 'grey' && Number.isFinite(heard()));
  if (!$('drive').hidden) {
    showBig(s);
    putIcon($('chip').firstChild, chipIcons[colour]);
    put($('chip').lastChild, chipText());
    put($('small'), smallPrint(s));
    drawAdvice(s);
    drawArrow(s);
    drawWhere(s);
    $('drive').dataset.target = s.target || 'none';
  } else if (!$('map').hidden) showSmall(s);
  put($('alert'), isReplaced ? T.replaced : isLost() ? T.lost : '');
}
