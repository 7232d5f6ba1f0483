// One question of setup, with what the gateway found for it.
import { words as findingWords } from '../shared/diagnosis.js';
import { button, el, put } from '../shared/dom.js';
import { json } from '../shared/stream.js';
import { language } from '../shared/texts.js';

/** @typedef {import('./setup.js').Step} Step */

/**
 * A question by its name.
 * @param {Step[]} steps
 * @param {string} name
 */
export const stepName = (steps, name) => steps.find(one => one.name === name);

/**
 * What the gateway found: answers to touch, and a sentence.
 * @param {Step} question
 * @param {?string} place  Where the user is, for the nearest launch sites.
 */
async function found(question, place) {
  const near = place ? `&place=${encodeURIComponent(place)}` : '';
  const told = await json(`api/setup/found?question=${question.name}&language=${language}${near}`);
  return { items: told?.items ?? [], note: told?.note ?? (told?.text ? findingWords(told) : '') };
}

/**
 * Makes the question.
 * @param {Step} question
 * @param {Record<string, string>} words
 * @param {(answers: Record<string, string>) => Promise<?import('../shared/diagnosis.js').Finding>} keep  Says why the answers are not kept.
 * @param {?Step} [place]  The question for the place.
 * @param {string} [offered]  The answer to begin with.
 */
export function step(question, words, keep, place, offered = '') {
  /** The answer that was touched; the fields count before it. */
  let chosen = offered;
  const inputs = question.fields.map(field =>
    el('input', {
      name: field.name,
      type: field.secret ? 'password' : 'text',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      value: question.fields.length > 1 ? field.present : '',
    }),
  );
  const choices = el('ul', { class: 'pick' });
  const say = el('p', { class: 'dim', role: 'status' });
  const alarm = el('p', { class: 'bad', role: 'alert' });

  function mark() {
    for (const one of choices.querySelectorAll('button')) {
      const value = /** @type {HTMLElement} */ (one).dataset.value;
      one.setAttribute('aria-pressed', String(value === (chosen || question.present)));
    }
  }

  /** @param {string} value */
  function choose(value) {
    // The broker's answer goes into its field: a user and a password belong to it.
    if (inputs.length > 1) inputs[0].value = value;
    else for (const input of inputs) input.value = '';
    chosen = value;
    mark();
  }

  /** @param {{ value: string, title: string, detail?: string }} choice  It gets a button. */
  const offer = ({ value, title, detail }) =>
    choices.append(
      el(
        'li',
        {},
        el(
          'button',
          { type: 'button', onclick: () => choose(value), 'data-value': value },
          el('b', {}, title),
          detail ? el('span', { class: 'dim' }, detail) : '',
        ),
      ),
    );

  async function look() {
    put(say, words.looking);
    const { items, note } = await found(question, place?.present === 'gps' ? null : (place?.present ?? null));
    for (const one of items) {
      if (!choices.querySelector(`[data-value="${CSS.escape(one.value)}"]`)) offer(one);
    }
    put(say, note);
    mark();
  }

  function answers() {
    if (inputs.length > 1) {
      const changed = question.fields
        .map((field, index) => [field.name, inputs[index].value.trim(), field.present])
        .filter(([, value, present]) => value && value !== present);
      return Object.fromEntries(changed.map(([name, value]) => [name, value]));
    }
    const value = inputs[0]?.value.trim() || chosen;
    return value ? { [question.name]: value } : {};
  }

  /** @param {Event} event */
  async function onsubmit(event) {
    event.preventDefault();
    put(alarm, '');
    put(say, words.testing);
    const refusal = await keep(answers());
    put(say, '');
    if (refusal) put(alarm, findingWords(refusal));
  }

  question.choices.forEach(offer);
  mark();
  const fields = question.fields.map((field, index) =>
    el('label', { class: 'field' }, field.label, inputs[index]),
  );
  if (question.searched && !question.fixed) look();
  return el(
    'form',
    { onsubmit, id: 'setup-form', 'data-question': question.name },
    el('h3', { tabindex: '-1' }, question.title),
    el('p', {}, question.text),
    ...(question.fixed
      ? [el('p', {}, el('b', {}, question.shown)), el('p', {}, words.fixed)]
      : [choices, say, ...fields, alarm]),
    question.searched && !question.fixed ? button(words.again, look) : '',
  );
}
