// The receiver's settings in words.
import { asked, send } from '../shared/command.js';
import { button, el, put, toast } from '../shared/dom.js';
import { data, hasReceiver, json, mayCommand } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { has } from './rows.js';

/**
 * @typedef {object} Setting  A line of `/api/settings`.
 * @property {string} key
 * @property {keyof Report.Settings} field     Its name in the report `settings`.
 * @property {number} [min]
 * @property {number} [max]     Missing for a text.
 * @property {number[]} [khz]   The bandwidths, for a setting whose value is an index into them.
 * @property {boolean} [flag]   Its value is 0 or 1, for off and on.
 * @property {boolean} [reboots]
 * @property {boolean} [dangerous]
 */

const usual = el('div');
const risky = el('details', {}, el('summary', {}, T.dangerousSettings));
/** The settings' form. The dangerous ones are folded away. */
export const settings = el('div', { class: 'settings' }, usual, risky);
/** Asks for all of them. */
export const read = button(T.readSettings, () => send({ request: 'settings' }, T.settings));
/**
 * A setting, the value that the receiver confirmed, and what changes it.
 * @typedef {object} Row
 * @property {Setting} setting
 * @property {HTMLElement} output
 * @property {HTMLButtonElement | HTMLSelectElement | HTMLInputElement} input
 * @property {?HTMLButtonElement} act  Sends what was typed.
 */

/** @type {Row[]} */
const values = [];

/**
 * The words for the values 0, 1, …; null if the value is a plain number or text.
 * @param {Setting} setting
 */
function words({ field, flag, khz }) {
  if (khz) return khz.map(value => `${u.plain(value)} kHz`);
  if (flag) return [T.off, T.on];
  return T.settingChoices[field] ?? null;
}

/**
 * The name in words; the firmware's key if there are none.
 * @param {Setting} setting
 */
const nameOf = ({ key, field }) => T.settingNames[field] ?? key;

/**
 * A value as people read it.
 * @param {Setting} setting
 * @param {unknown} value
 */
function shown(setting, value) {
  if (value == null || value === '') return '–';
  return words(setting)?.[Number(value)] ?? String(value);
}

/**
 * What a value is changed with: a switch, a choice, or a field to type in.
 * @param {Setting} setting
 * @param {(typed: string) => void} ask
 */
function inputOf(setting, ask) {
  const label = { class: 'mine', 'aria-label': nameOf(setting) };
  if (setting.flag) {
    const onclick = () => ask(input.ariaChecked === 'true' ? '0' : '1');
    const input = el('button', { ...label, type: 'button', role: 'switch', onclick });
    return input;
  }
  const choices = words(setting);
  if (choices) {
    /** @param {string} text  @param {number | string} value */
    const option = (text, value) => el('option', { value }, text);
    const onchange = () => {
      ask(input.value);
      // It changes when the receiver confirms it.
      input.value = input.dataset.value ?? '';
    };
    const input = el('select', { ...label, onchange }, option('–', ''), ...choices.map(option));
    return input;
  }
  const isNumber = has(setting.max);
  return el('input', { ...label, ...(isNumber ? { inputmode: 'decimal' } : { maxlength: 8 }) });
}

/**
 * The range in words; nothing for a choice.
 * @param {Setting} setting
 */
function rangeOf(setting) {
  if (words(setting)) return '';
  const { min, max } = setting;
  return has(min) && has(max) ? `${u.plain(min)} … ${u.plain(max)}` : 'A–Z 0–9 - /';
}

/**
 * Asks for a value; one that is out of range is refused here.
 * @param {Setting} setting
 * @param {string} typed
 */
function change(setting, typed) {
  if (!typed) return;
  const { key, min, max } = setting;
  if (!has(min) || !has(max)) return send({ settings: { [key]: typed.toUpperCase() } }, key, typed);
  const value = Number(typed.replace(',', '.'));
  const isAllowed = Number.isInteger(value) && value >= min && value <= max;
  if (!isAllowed) return toast(T.outOfRangeSetting({ name: nameOf(setting), min, max }));
  send({ settings: { [key]: value } }, key, shown(setting, value));
}

/** @param {Setting} setting */
function addSetting(setting) {
  const output = el('output');
  /** @param {string} typed */
  const ask = typed => change(setting, typed);
  const input = inputOf(setting, ask);
  /** @param {Event} event */
  const onsubmit = event => {
    event.preventDefault();
    ask(input.value.trim());
  };
  const facts = u.joined(
    rangeOf(setting),
    setting.reboots && T.restarts,
    setting.dangerous && T.dangerous,
    setting.key,
  );
  const isTyped = input.matches('input');
  const act = isTyped ? button(T.send, () => form.requestSubmit(), { class: 'mine' }) : null;
  /** @type {HTMLFormElement} */
  const form = el(
    'form',
    { onsubmit, 'data-key': setting.key },
    el('div', {}, el('b', {}, nameOf(setting)), el('small', {}, facts), output),
    input,
    ...(act ? [act] : []),
  );
  (setting.dangerous ? risky : usual).append(form);
  const one = { setting, output, input, act };
  input.oninput = () => drawValue(one);
  values.push(one);
}

/** Asks the gateway for the settings, and lists them. */
export async function listSettings() {
  for (const setting of (await json('api/settings')) ?? []) addSetting(setting);
}

/**
 * Shows what the receiver confirmed; what somebody types stays.
 * @param {Row} row
 */
function drawValue({ setting, output, input, act }) {
  const { key, field, flag } = setting;
  const value = data.settings?.[field];
  const text = String(value ?? '');
  put(output, asked[key] ? T.asked(asked[key]) : mayCommand() ? '' : shown(setting, value));
  if (flag) {
    input.ariaChecked = String(Number(value) === 1);
    put(input, shown(setting, value));
  } else if (document.activeElement !== input && (!act || input.value === (input.dataset.value ?? ''))) {
    input.value = text;
  }
  input.dataset.value = text;
  for (const control of [input, act]) if (control) control.disabled = !hasReceiver();
  if (act) act.hidden = input.value.trim() === text;
}

/** Draws what the receiver confirmed. */
export function drawSettings() {
  // Without a receiver nobody answers.
  read.disabled = !hasReceiver();
  values.forEach(drawValue);
}
