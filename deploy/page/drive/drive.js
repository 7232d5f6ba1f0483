// Drive: an arrow, three giant numbers, small print.
import { $, body, cls, el, near, put } from '../shared/dom.js';
import { aged, border, now, sondeLimit } from '../shared/model.js';
import { heard, isLost, isReplaced } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { lineText, smallPrint, where } from './words.js';

/** @typedef {import('./situation.js').Situation} Situation */

// Makes the three numbers of Drive, or of Map, and returns what draws them.
// `saidAbove` is the age that stands beside them already.
function lines(box, saidAbove = () => '') {
  const made = [0, 1, 2].map(() => {
    const label = el('span', { class: 'label' });
    const value = el('b');
    const unit = el('i');
    const age = el('span', { class: 'age' });
    const number = el('span', { class: 'number' }, el('span', { class: 'fit' }, value, unit));
    const root = el('div', { class: 'line' }, el('div', { class: 'top' }, label, age), number);
    box.append(root);
    return { label, value, unit, age, number, root };
  });
  /** @param {Situation} situation */
  return situation => {
    // An age of minutes is said once.
    let said = '';
    const above = saidAbove();
    situation.lines.forEach((line, i) => {
      const l = made[i];
      const text = lineText(line, situation);
      const { words, isOld, isGone } = aged(text.value, line.age, line.limit);
      const isSaid = (isGone && words === said) || words === above;
      if (isGone) said = words;
      l.root.dataset.id = line.id;
      put(l.label, text.label);
      put(l.age, isSaid ? '' : words);
      put(l.value, text.value);
      put(l.unit, text.unit);
      cls(l.root, 'old', isOld);
      cls(l.root, 'gone', isGone);
      fit(l.number);
    });
  };
}

// A long text becomes narrower, not lower.
function fit(e) {
  const inner = e.firstChild;
  const key = `${inner.textContent} ${e.clientWidth} ${e.clientHeight}`;
  if (e.dataset.fit === key) return;
  e.dataset.fit = key;
  inner.style.transform = '';
  const fits = e.clientWidth / inner.offsetWidth;
  if (fits < 1 && fits) inner.style.transform = `scaleX(${fits})`;
}

const showBig = lines($('numbers'));
const showSmall = lines($('strip'), () => aged('', heard(), sondeLimit()).words);
let turn = 0;
let other = 0;

/** @param {Situation} s */
function drawArrow(s) {
  turn = near(s.turn ?? turn, turn);
  other = near(s.other ?? other, other);
  cls($('arrow'), 'none', !s.sight);
  cls($('needle'), 'none', s.turn == null);
  cls($('arrow'), 'old', aged('', s.lines[0].age, s.lines[0].limit).isOld);
  cls($('arrow'), 'north', s.northUp);
  $('needle').style.transform = `rotate(${turn}deg)`;
  cls($('dot'), 'none', s.other == null);
  $('dot').style.transform = `rotate(${other}deg)`;
  const target = s.target === 'sonde' ? T.toSonde : T.toLanding;
  $('arrow').setAttribute('aria-label', s.target ? u.joined(target, where(s)) : T.noCar);
}

/** Draws the border and, on Drive or Map, the numbers. */
export function drawDrive() {
  const s = now();
  body.dataset.border = border()[0];
  if (!$('drive').hidden) {
    showBig(s);
    put($('small'), smallPrint(s));
    drawArrow(s);
    $('drive').dataset.target = s.target || 'none';
  } else if (!$('map').hidden) showSmall(s);
  put($('alert'), isReplaced ? T.replaced : isLost() ? T.lost : '');
}
