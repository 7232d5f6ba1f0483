// The questions of setup in the browser. The gateway writes all its words, and tests each answer before it keeps it.
import { startDemo } from '../shared/demo.js';
import { $, button, dialog, el, sheet, toast } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { loadOwnStyle } from '../shared/load.js';
import { json } from '../shared/stream.js';
import { language, T } from '../shared/texts.js';
import { step, stepName } from './step.js';
import { suggested } from './suggest.js';

/**
 * A question, as `/api/setup` has it.
 * @typedef {object} Step
 * @property {string} name
 * @property {string} title
 * @property {string} text
 * @property {string} present  The answer that holds.
 * @property {string} shown    The same, in words.
 * @property {boolean} fixed   Something else than setup sets it.
 * @property {boolean} searched  The gateway looks for answers.
 * @property {{value: string, title: string}[]} choices
 * @property {{name: string, label: string, secret: boolean, present: string}[]} fields
 */

/** @typedef {{open: boolean, first: boolean, waits: boolean, words?: Record<string, string>, steps?: Step[], why?: string, command?: string}} Told */

/** Milliseconds until the gateway has stopped, and between two looks whether it is back. */
const restartTime = 2000;
const lookInterval = 500;

/** @typedef {Told & {words: Record<string, string>}} Asked */

/** @type {Asked} */
let told;
let at = 0;
/** The names of the questions that were answered here. */
const answered = new Set();
const box = el('div', { class: 'setup' });
let isStyled = false;

/**
 * What the gateway asks; undefined if it does not answer.
 * @returns {Promise<Told | undefined>}
 */
export const askSetup = () => json(`api/setup?language=${language}`);

/** @param {Told} [answer]  @returns {answer is Asked} */
const hasWords = answer => !!answer?.words;

/**
 * What becomes of answers: if they are not kept, the finding says why.
 * @typedef {import('../shared/diagnosis.js').Finding & {kept: boolean, commands?: string[]}} Outcome
 */

/** @param {object} body  @returns {Promise<Outcome>} Fails if the gateway takes none. */
async function post(body) {
  const answer = await fetch(`api/setup?language=${language}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/**
 * Sends answers. A gateway that is away keeps none.
 * @param {Record<string, string>} answers
 * @returns {Promise<Outcome>}
 */
export const kept = answers => post({ answers }).catch(() => ({ kept: false, text: T.unreachable }));

function showDemo() {
  dialog()?.close();
  startDemo();
}

async function startAnew() {
  box.replaceChildren(el('p', { role: 'status' }, told.words.restarting));
  await post({ restart: true }).catch(() => {});
  const look = async () => {
    const isBack = await fetch('api/health').then(
      answer => answer.ok,
      () => false,
    );
    if (!isBack) return setTimeout(look, lookInterval);
    location.hash = '#drive';
    location.reload();
  };
  setTimeout(look, restartTime);
}

/** The question has the focus, and is seen from its top. */
function begin() {
  $('setup').scrollTop = 0;
  box.querySelector('h3')?.focus({ preventScroll: true });
}

/** @param {number} index */
function go(index) {
  at = index;
  draw();
  begin();
}

/**
 * Sends answers, and goes on if they are kept.
 * @param {Step} question
 * @param {Record<string, string>} answers
 * @returns {Promise<?Outcome>} Why they are not kept; null if they are.
 */
async function keep(question, answers) {
  if (Object.keys(answers).length) {
    const outcome = await kept(answers);
    if (!outcome.kept) return outcome;
    if (question.name === 'receiver') commands = outcome.commands ?? [];
    const answer = await askSetup();
    if (hasWords(answer)) told = answer;
  }
  answered.add(question.name);
  // Whoever has touched another question meanwhile stays there.
  const { steps = [] } = told;
  if (steps[at]?.name !== question.name) return null;
  const open = steps.findIndex(one => !answered.has(one.name));
  go(open < 0 ? at : open);
  return null;
}

/**
 * What a person must run on the box besides. It stays until the setup is closed.
 * @type {string[]}
 */
let commands = [];

/**
 * What to begin with, while a question is open.
 * @param {Step} one
 */
const offered = one => (answered.has(one.name) ? null : suggested(one, language, told.first));

/** @param {Step} one  @param {number} index */
const item = (one, index) =>
  el(
    'li',
    {},
    el(
      'button',
      {
        type: 'button',
        onclick: () => go(index),
        'aria-current': index === at ? 'step' : null,
        'data-step': one.name,
      },
      answered.has(one.name) ? icon('done') : el('span', { class: 'no' }, String(index + 1)),
      el('span', {}, el('b', {}, one.title), el('span', { class: 'dim' }, offered(one)?.title ?? one.shown)),
    ),
  );

function draw() {
  const { words, steps } = told;
  // Whoever has answered a question has seen the offer.
  const demo = button(words.demo, showDemo, { class: 'wide strong', id: 'setup-demo' });
  /** @type {HTMLElement[]} */
  const parts = answered.size ? [] : [demo];
  if (!told.open) {
    parts.push(el('p', { id: 'setup-closed' }, told.why ?? ''));
    if (told.command) parts.push(el('p', {}, el('code', {}, told.command)));
  }
  if (commands.length) {
    parts.push(el('p', {}, words.run), ...commands.map(line => el('p', {}, el('code', {}, line))));
  }
  if (steps?.every(one => answered.has(one.name))) {
    parts.push(el('p', { role: 'status', id: 'setup-done' }, icon('done'), ' ', words.done));
  }
  if (told.waits) {
    const restart = button(words.restart, startAnew, { class: 'strong', id: 'setup-restart' });
    parts.push(el('p', { class: 'waits', role: 'status' }, el('span', {}, words.waits), restart));
  }
  if (steps) {
    const list = el('ol', { 'aria-label': words.heading }, ...steps.map(item));
    const place = stepName(steps, 'place');
    /** @param {Record<string, string>} answers */
    const keepIt = answers => keep(steps[at], answers);
    const view = step(steps[at], words, keepIt, place, offered(steps[at])?.value);
    view.prepend(el('p', { class: 'dim' }, `${at + 1} / ${steps.length}`));
    parts.push(el('div', { class: 'two' }, list, view));
  }
  box.replaceChildren(...parts);
}

/**
 * Opens the setup.
 * @param {Told} [asked]  What the gateway asks, if that is known.
 */
export async function openSetup(asked) {
  const answer = asked ?? (await askSetup());
  if (!hasWords(answer)) return toast(T.unreachable);
  told = answer;
  at = 0;
  if (!isStyled) loadOwnStyle('style/setup.css');
  isStyled = true;
  draw();
  const opened = sheet(told.words.heading, box);
  opened.id = 'setup';
  const close = opened.querySelector('.close');
  if (!told.steps || !close) return;
  // It stays in sight beside the button that closes, however long a question is.
  const next = el('button', { class: 'strong', id: 'setup-next', form: 'setup-form' }, told.words.next);
  const foot = el('div', { class: 'close foot' });
  close.replaceWith(foot);
  close.classList.remove('close', 'wide');
  foot.append(close, next);
  begin();
}
