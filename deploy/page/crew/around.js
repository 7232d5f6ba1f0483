// What others report: sondes around, crews, the recovery, the next launches.
// Each part is there when its report is.
import { send } from '../shared/command.js';
import { button, el, toast } from '../shared/dom.js';
import { data, mayCommand } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { crewFacts, launchFacts, recoveryFacts, sondeActs, sondeFacts } from './facts.js';

const recoveryStates = ['planned', 'recovered', 'not_found'];

function sondeItem(sonde) {
  const acts = sondeActs(sonde).map(([words, act]) =>
    button(words, act, { 'aria-label': `${words}: ${sonde.serial}` }),
  );
  const facts = u.joined(sonde.serial, sondeFacts(sonde));
  return el('li', { class: sonde.hunted ? 'hunted' : null }, facts, el('span', { class: 'row' }, ...acts));
}

const crewItem = crew => el('li', {}, u.joined(crew.callsign, crewFacts(crew)));
const launchItem = launch => el('li', {}, u.joined(launch.name ?? launch.site, launchFacts(launch)));

function recoveryItem(report) {
  const facts = u.joined(report.serial, recoveryFacts(report));
  const isOpen = report.own && report.queued;
  const cancel = button(T.doNotSend, () => send({ recovery: null }, T.recovery, '–'), { class: 'mine' });
  return el('li', {}, facts, isOpen ? el('div', { class: 'row' }, cancel) : '');
}

const note = el('input', { maxlength: 200, 'aria-label': T.recoveryNote, placeholder: T.recoveryNote });

/** Reports the recovery; who plans one says how.  @param {string} state */
function report(state) {
  const words = note.value.trim();
  if (state === 'planned' && !words) {
    toast(T.recoveryNeedsNote);
    return note.focus();
  }
  send({ recovery: { state, ...(words ? { note: words } : {}) } }, T.recovery, T.recoveries[state]);
  note.value = '';
}

const recoveryControls = el(
  'div',
  { class: 'row mine' },
  note,
  ...recoveryStates.map(state => button(T.recoveries[state], () => report(state))),
);

/** [the report, its title, its entries, what shows one] */
/** @type {Array<[string, () => string, (report: any) => any[], (entry: any) => any]>} */
const parts = [
  ['sondes', () => T.sondesAround, report => report.sondes ?? report, sondeItem],
  ['crews', () => T.crews, report => report.crews ?? report, crewItem],
  ['recovery', () => T.recovery, report => (report.serial ? [report] : []), recoveryItem],
  ['launches', () => T.launches, report => report.launches ?? report, launchItem],
];

/** Makes the parts. Each is hidden while its report is empty. The recovery's buttons come with its report. */
export const sections = parts.map(([kind, title, entries, item]) => {
  const list = el('ul', { 'aria-label': title() });
  const buttons = kind === 'recovery' ? [recoveryControls] : [];
  const root = el('section', { class: 'part', hidden: true }, el('h2', {}, title()), ...buttons, list);
  const draw = () => {
    const report = data[kind];
    const found = report == null ? [] : entries(report);
    const all = Array.isArray(found) ? found : [];
    // The recovery has buttons, too.
    root.hidden = report == null || (!all.length && !(kind === 'recovery' && mayCommand()));
    if (root.hidden || root.dataset.key === JSON.stringify(report)) return;
    root.dataset.key = JSON.stringify(report);
    list.replaceChildren(...all.map(item));
  };
  return { root, draw };
});
