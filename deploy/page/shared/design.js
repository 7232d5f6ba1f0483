// All components of the page at once, for people who change it and for the tests that photograph them: `#design`.
import { body, button, el } from './dom.js';
import { icon, icons } from './icons.js';
import { T } from './texts.js';

/** The colours that mean something, in the order of the style sheet. */
const colours = [
  ...['paper', 'sheet', 'raise', 'line', 'ink', 'ink-2', 'ink-3'],
  ...['good', 'care', 'bad', 'target', 'car', 'fill', 'fill-target', 'fill-bad'],
];

/** @param {string} title  @param {...(string|Node)} children */
const card = (title, ...children) => el('div', { class: 'card' }, el('h2', {}, title), ...children);

/** @param {string} name */
function swatch(name) {
  const box = el('span', { class: 'colour' });
  box.style.background = `var(--${name})`;
  return el('span', { class: 'sample' }, box, name);
}

/**
 * @param {string} tone
 * @param {string} name  The icon's.
 * @param {string} heading
 * @param {string} why
 */
function bar(tone, name, heading, why) {
  return el(
    'div',
    { class: 'advice', 'data-tone': tone },
    el('span', { class: 'sign' }, icon(name)),
    el('div', {}, el('strong', { class: 'word' }, heading), el('p', { class: 'why' }, why)),
  );
}

/** @param {string} title  @param {string[]} names  @param {(name: string) => Node} sample */
const samples = (title, names, sample) => card(title, el('div', { class: 'samples' }, ...names.map(sample)));
/** @param {string} name */
const named = name => el('span', { class: `sample ${name}` }, icon(name), name);
/** @param {...Node} controls */
const row = (...controls) => el('div', { class: 'row' }, ...controls);
/** @param {...Node} cards */
const part = (...cards) => el('div', {}, ...cards);

/** Shows the components in place of the screens. */
export function showDesign() {
  const columns = [
    part(
      samples('Colours', colours, swatch),
      samples('Icons', icons, named),
      samples('Levels', ['good', 'care', 'bad'], named),
    ),
    part(
      card(
        'Advice',
        bar('plain', 'wait', T.advices.wait, T.reasonsWhy.wait('54 km')),
        bar('go', 'towards', T.advices.towards('Biel'), T.reasonsWhy.towards),
        bar('down', 'flag', `${T.advices.landed} 14:20`, T.reasonsWhy.landed),
      ),
      card(
        'Controls',
        row(
          button(T.navigate, () => {}, { class: 'strong' }),
          button(T.take, () => {}),
          button(T.tune, () => {}, { disabled: true }),
          button(T.recoveries.not_found, () => {}, { class: 'risk' }),
          button(T.on, () => {}, { role: 'switch', 'aria-checked': 'true' }),
        ),
        row(el('input', { placeholder: '400–406', 'aria-label': T.otherFrequency })),
      ),
    ),
  ];
  const root = el(
    'section',
    { id: 'design', 'aria-label': 'design' },
    el('div', { class: 'columns' }, ...columns),
  );
  for (const screen of document.querySelectorAll('main > *')) screen.toggleAttribute('hidden', true);
  document.querySelector('main')?.append(root);
  body.classList.add('designing');
}
