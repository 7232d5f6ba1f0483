// Tuning, mute and the receiver's offset.
import { acceptProposal, asked, send, tune } from '../shared/command.js';
import { button, el, put, toast } from '../shared/dom.js';
import { data, proposal, radio } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { has } from './rows.js';

const types = ['RS41', 'M20', 'M10', 'PILOT', 'DFM'];

// A button that shows the wanted value until the receiver confirms it.
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
  if (!has(mean)) return `${T.afc} –`;
  return T.named(`${T.afc} ${u.text([u.plain(Math.round(mean)), 'Hz'])}`, T.save);
}
const offset = control(T.afc, offsetWord, () => send({ tune: { save: true } }, T.afc, T.save));

const offer = el('p');
const answers = el(
  'div',
  { class: 'row' },
  button(T.tune, acceptProposal, { class: 'strong' }),
  button(T.later, () => send({ accept_proposal: false }, T.later)),
);

const tuning = el('p');
const wanted = el('input', {
  id: 'mhz',
  inputmode: 'decimal',
  'aria-label': `${T.frequency} MHz`,
  placeholder: u.mhz(404.2),
});
const type = el(
  'select',
  { 'aria-label': T.type },
  el('option', { value: '' }, T.type),
  ...types.map(name => el('option', {}, name)),
);

function press(key) {
  wanted.value = key === '⌫' ? wanted.value.slice(0, -1) : wanted.value + key;
}

function tuneAsTyped(event) {
  event.preventDefault();
  const frequency = u.frequency(wanted.value);
  const { frequency_min_mhz: min, frequency_max_mhz: max } = data.bridge_info ?? {};
  if (frequency >= min && frequency <= max) tune(frequency, type.value);
  else toast(T.outOfRange(min, max));
}

const pad = el(
  'form',
  { onsubmit: tuneAsTyped },
  el('div', { class: 'row' }, wanted, type, el('button', { class: 'strong', id: 'tune' }, T.tune)),
  el('div', { class: 'keys' }, ...[...`123456789${T.decimal}0⌫`].map(key => button(key, () => press(key)))),
  tuning,
);

/** The controls. */
export const controls = [offer, answers, pad, el('div', { class: 'row' }, mute.root, offset.root)];

/** Draws what the receiver confirmed. */
export function drawTuning() {
  mute.draw();
  offset.draw();
  const p = proposal();
  put(offer, p ? T.proposal(u.mhz(p.frequency_mhz), p.sonde_type) : '');
  answers.hidden = !p;
  put(tuning, asked[T.frequency] ? T.asked(asked[T.frequency]) : '');
}
