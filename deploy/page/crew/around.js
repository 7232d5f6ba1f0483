// What others report: sondes around, crews, the recovery, the next launches.
// Each part is there when its report is.

import { oldAfterFromSondeHub } from '../drive/situation.js';
import { send } from '../shared/command.js';
import { ask, button, cls, el, put, toast } from '../shared/dom.js';
import { canReport, data, usesSondeHub } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { ageNow, crewFacts, launchFacts, recoveryFacts, sondeActs, sondeFacts } from './facts.js';

const recoveryStates = ['planned', 'recovered', 'not_found'];

/** @param {Report.Sonde} sonde */
function sondeButtons(sonde) {
  const acts = sondeActs(sonde).map(([words, act]) =>
    button(words, act, { 'aria-label': T.named({ name: words, value: sonde.serial }) }),
  );
  return el('span', { class: 'row' }, ...acts);
}

/** @param {Report.Recovery} report */
function recoveryButton(report) {
  if (!report.own || !report.queued) return '';
  const cancel = button(T.doNotSend, () => send({ recovery: null }, T.recovery, '–'), { class: 'mine' });
  return el('div', { class: 'row' }, cancel);
}

const note = el('input', { maxlength: 200, 'aria-label': T.recoveryNote, placeholder: T.recoveryNote });

/**
 * Reports the recovery after a question, because everybody sees the report. A planned one needs a note.
 * @param {string} state
 * @param {string} words  The note.
 * @returns {Promise<boolean>} Whether it was sent.
 */
export async function report(state, words) {
  if (state === 'planned' && !words) {
    toast(T.recoveryNeedsNote);
    return false;
  }
  if (
    !(await ask(T.recoveryAsk({ serial: data.state?.serial ?? '?', what: T.recoveries[state] }), T.doNotSend))
  )
    return false;
  send({ recovery: { state, ...(words ? { note: words } : {}) } }, T.recovery, T.recoveries[state]);
  return true;
}

/** @param {string} state */
async function reportWithNote(state) {
  const words = note.value.trim();
  if (state === 'planned' && !words) note.focus();
  if (await report(state, words)) note.value = '';
}

const recoveryControls = el(
  'div',
  { class: 'row mine' },
  note,
  ...recoveryStates.map(state => button(T.recoveries[state], () => reportWithNote(state))),
);
const callSignNeeded = el('p', { class: 'dim' }, T.callSignNeeded);

/**
 * The serial of the followed sonde once it is on the ground, for the recovery's buttons; else undefined.
 * @param {string} kind
 */
const recoverable = kind =>
  (kind === 'recovery' && usesSondeHub() && data.state?.phase === 'landed' && data.state.serial) || undefined;

/**
 * @template E
 * @typedef {object} Part
 * @property {'sondes' | 'crews' | 'recovery' | 'launches'} kind    The report.
 * @property {string} title
 * @property {() => E[] | undefined} entries  Undefined while the report is missing.
 * @property {(entry: E) => string} facts
 * @property {(entry: E) => string | Node} [buttons]
 * @property {(entry: E) => boolean} [isHunted]
 * @property {(entry: E) => ?number} [ageOf]  Milliseconds.
 */

/**
 * Makes a part. It is hidden while its report is empty. The recovery's buttons come with its report.
 * @template E
 * @param {Part<E>} part
 */
function section({ kind, title, entries, facts, buttons, isHunted, ageOf }) {
  const list = el('ul', { 'aria-label': title });
  const head = el('h2', {}, title);
  const controls = kind === 'recovery' ? [recoveryControls, callSignNeeded] : [];
  const root = el('section', { class: 'part card', hidden: true }, head, ...controls, list);
  /** @type {Array<{entry: E, words: HTMLElement}>} */
  let shown = [];
  /** @param {E} entry */
  const show = entry => {
    const words = el('span');
    shown.push({ entry, words });
    list.append(el('li', { class: isHunted?.(entry) ? 'hunted' : null }, words, buttons?.(entry) ?? ''));
  };
  const draw = () => {
    const all = entries();
    const serial = recoverable(kind);
    root.hidden = !all || (!all.length && !serial);
    if (!all || root.hidden) return;
    put(head, u.joined(title, serial));
    // What SondeHub would refuse is not offered.
    recoveryControls.hidden = kind === 'recovery' ? !serial || !canReport() : recoveryControls.hidden;
    callSignNeeded.hidden = kind === 'recovery' ? !serial || canReport() : callSignNeeded.hidden;
    const key = JSON.stringify(all);
    if (root.dataset.key !== key) {
      root.dataset.key = key;
      list.replaceChildren();
      shown = [];
      all.forEach(show);
    }
    // Ages grow between two reports.
    for (const { entry, words } of shown) {
      put(words, facts(entry));
      cls(words, 'old', (ageOf?.(entry) ?? 0) > oldAfterFromSondeHub);
    }
  };
  return { root, draw };
}

/** @returns {Report.Recovery[] | undefined} */
function recoveries() {
  const { recovery } = data;
  if (!recovery) return undefined;
  return recovery.serial ? [/** @type {Report.Recovery} */ (recovery)] : [];
}

/** The parts, in their order. */
export const sections = [
  section({
    kind: 'sondes',
    title: T.sondesAround,
    entries: () => data.sondes?.sondes,
    facts: sonde => u.joined(sonde.serial, sondeFacts(sonde)),
    buttons: sondeButtons,
    isHunted: sonde => sonde.hunted,
    ageOf: sonde => ageNow(sonde, 'sondes'),
  }),
  section({
    kind: 'crews',
    title: T.crews,
    entries: () => data.crews?.crews,
    facts: crew => u.joined(crew.callsign, crewFacts(crew)),
    ageOf: crew => ageNow(crew, 'crews'),
  }),
  section({
    kind: 'recovery',
    title: T.recovery,
    entries: recoveries,
    facts: report => u.joined(report.serial, recoveryFacts(report)),
    buttons: recoveryButton,
  }),
  section({
    kind: 'launches',
    title: T.launches,
    entries: () => data.launches?.launches,
    facts: launch => u.joined(launch.name ?? launch.site, launchFacts(launch)),
  }),
];
