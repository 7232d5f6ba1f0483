// Tuning, mute and the receiver's offset.
import { acceptProposal, asked, send, tune } from '../shared/command.js';
import { button, cls, el, put, toast } from '../shared/dom.js';
import { icon } from '../shared/icons.js';
import { isTuned } from '../shared/radio.js';
import { data, hasReceiver, json, proposal, radio } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';

/**
 * A button that shows the wanted value until the receiver confirms it.
 * @param {string} what
 * @param {() => string} text
 * @param {() => void} act
 */
function control(what, text, act) {
  const root = button('', act);
  const draw = () => {
    put(root, asked[what] ? T.asked(asked[what]) : text());
    root.disabled = !!asked[what];
  };
  return { root, draw };
}

const muteWord = () => (radio()?.mute ? T.unmute : T.mute);
const mute = control(T.mute, muteWord, () => send({ mute: !radio()?.mute }, T.mute, muteWord()));

function offsetWord() {
  const mean = radio()?.afc_mean_hz;
  if (!u.known(mean)) return `${T.afc} –`;
  return T.named({ name: `${T.afc} ${u.text([u.plain(Math.round(mean)), 'Hz'])}`, value: T.save });
}
const offset = control(T.afc, offsetWord, () => send({ tune: { save: true } }, T.afc, T.save));

const offer = el('p');
const answers = el(
  'div',
  { class: 'row' },
  button(T.tune, acceptProposal, { class: 'strong' }),
  button(T.later, () => send({ accept_proposal: false }, T.later)),
);

const tuning = el('span', {});
const tuned = el('p', { class: 'big' }, el('b', {}, ''), el('span', {}, ''));
// The page has keys of its own, which come when they are needed: a screen in a car has no others.
const wanted = el('input', {
  id: 'mhz',
  inputmode: 'none',
  autocomplete: 'off',
  'aria-label': `${T.otherFrequency}, MHz`,
  oninput: drawTuneButton,
  onfocus: () => {
    keys.hidden = false;
  },
});
const type = el('select', { 'aria-label': T.type }, el('option', { value: '' }, '…'));
let isAsking = false;

/** Offers the types that the gateway knows; asks again if it did not answer. */
async function offerTypes() {
  if (isAsking || type.options.length > 1) return;
  isAsking = true;
  /** @type {string[]} */
  const names = (await json('api/sonde-types')) ?? [];
  type.append(...names.map(name => el('option', {}, name)));
  isAsking = false;
}

/** @param {string} key */
function press(key) {
  wanted.value = key === '⌫' ? wanted.value.slice(0, -1) : wanted.value + key;
  drawTuneButton();
}

/** @param {Event} event */
function tuneAsTyped(event) {
  event.preventDefault();
  const frequency = u.frequency(wanted.value);
  const { frequency_min_mhz: min, frequency_max_mhz: max } = data.bridge_info ?? {};
  if (!u.known(min) || !u.known(max) || !(frequency >= min && frequency <= max))
    return toast(T.outOfRange({ min, max }));
  keys.hidden = true;
  tune(frequency, type.value);
}

const digits = [...`123456789${T.decimal}0⌫`].map(key => button(key, () => press(key)));
const keys = el('div', { class: 'keys', hidden: true }, ...digits);
const go = el('button', { class: 'strong', id: 'tune', disabled: true }, T.tune);
const pad = el(
  'form',
  { onsubmit: tuneAsTyped, class: 'mine' },
  el(
    'div',
    { class: 'row tune' },
    el('label', { class: 'field' }, T.otherFrequency, wanted),
    el('label', { class: 'field' }, T.type, type),
    go,
  ),
  keys,
);
const isFlying = () => data.state?.source === 'ble' && data.state.phase !== 'landed';
const warning = el('p', { class: 'dim mine' }, T.asksFirst);

// To tune to where it is tuned changes nothing.
function drawTuneButton() {
  const frequency = u.frequency(wanted.value);
  go.disabled =
    !hasReceiver() || !radio() || Number.isNaN(frequency) || (isTuned(radio(), frequency) && !type.value);
}

/** What the receiver is tuned to, and how to change it. */
export const controls = [
  el('h2', {}, T.tuned),
  el('div', { class: 'tuned' }, tuned, el('p', { class: 'state' }, icon('done'), tuning)),
  offer,
  answers,
  pad,
  warning,
  el('div', { class: 'row mine' }, mute.root, offset.root),
];

/** Draws what the receiver confirmed. */
export function drawTuning() {
  offerTypes();
  mute.draw();
  offset.draw();
  const p = proposal();
  put(offer, p ? T.proposal({ f: u.mhz(p.frequency_mhz), t: p.sonde_type }) : '');
  answers.hidden = !p;
  const r = radio();
  const { frequency_min_mhz: min, frequency_max_mhz: max } = data.bridge_info ?? {};
  put(tuned.firstChild, u.mhz(r?.frequency_mhz));
  put(tuned.lastChild, u.joined('MHz', r?.sonde_type));
  const known = hasReceiver() ? T.confirmed : T.links.offline;
  put(tuning, asked[T.frequency] ? T.asked(asked[T.frequency]) : r ? known : '');
  cls(tuning.parentElement, 'away', !hasReceiver() || asked[T.frequency]);
  wanted.placeholder = u.known(min) && u.known(max) ? `${u.plain(min)}–${u.plain(max)}` : '';
  warning.hidden = !isFlying();
  // Without a receiver nothing can be set.
  const isAway = !r || !hasReceiver();
  for (const control of [mute.root, offset.root]) control.disabled ||= isAway;
  for (const control of [wanted, type, ...digits]) control.disabled = isAway;
  drawTuneButton();
}
