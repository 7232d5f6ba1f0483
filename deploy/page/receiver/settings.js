// The receiver's settings in words.
import { asked, send } from '../shared/command.js';
import { button, el, put, toast } from '../shared/dom.js';
import { data, hasReceiver, json } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { has } from './rows.js';

/**
 * @typedef {object} Setting  A line of `/api/settings`.
 * @property {string} key
 * @property {string} field     Its name in the report `settings`.
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
/** What asks the receiver for its settings, or for a change. */
const asking = [];
/** Asks for all of them. */
export const read = button(T.readSettings, () => send({ request: 'settings' }, T.settings));
/** @type {Array<{setting: Setting, output: any}>} */
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

/** The name in words; the firmware's key if there are none.  @param {Setting} setting */
const nameOf = ({ key, field }) => T.settingNames[field] ?? key;

/** A value as people read it.  @param {Setting} setting  @param {any} value */
function shown(setting, value) {
  if (value == null || value === '') return '–';
  return words(setting)?.[Number(value)] ?? String(value);
}

/** A choice, or a field to type in.  @param {Setting} setting */
function inputOf(setting) {
  const label = { class: 'mine', 'aria-label': nameOf(setting) };
  const choices = words(setting);
  if (choices) {
    const option = (text, value) => el('option', { value }, text);
    return el('select', label, el('option', { value: '' }, '…'), ...choices.map(option));
  }
  const isNumber = has(setting.max);
  return el('input', { ...label, ...(isNumber ? { inputmode: 'decimal' } : { maxlength: 8 }) });
}

/** The range in words; nothing for a choice.  @param {Setting} setting */
function rangeOf(setting) {
  if (words(setting)) return '';
  return has(setting.max) ? `${u.plain(setting.min)} … ${u.plain(setting.max)}` : 'A–Z 0–9 - /';
}

/**
 * Asks for a value; one that is out of range is refused here.
 * @param {Setting} setting
 * @param {string} typed
 */
function change(setting, typed) {
  if (!typed) return;
  if (!has(setting.max))
    return send({ settings: { [setting.key]: typed.toUpperCase() } }, setting.key, typed);
  const value = Number(typed.replace(',', '.'));
  const isAllowed = Number.isInteger(value) && value >= setting.min && value <= setting.max;
  if (!isAllowed)
    return toast(T.outOfRangeSetting({ name: nameOf(setting), min: setting.min, max: setting.max }));
  send({ settings: { [setting.key]: value } }, setting.key, shown(setting, value));
}

/** @param {Setting} setting */
function addSetting(setting) {
  const output = el('output');
  const input = inputOf(setting);
  const onsubmit = event => {
    event.preventDefault();
    change(setting, input.value.trim());
  };
  const facts = u.joined(
    rangeOf(setting),
    setting.reboots && T.restarts,
    setting.dangerous && T.dangerous,
    setting.key,
  );
  const act = button(T.send, () => form.requestSubmit(), { class: 'mine' });
  asking.push(input, act);
  const form = el(
    'form',
    { onsubmit, 'data-key': setting.key },
    el('b', {}, nameOf(setting)),
    output,
    input,
    act,
    el('small', {}, facts),
  );
  (setting.dangerous ? risky : usual).append(form);
  values.push({ setting, output });
}

/** Asks the gateway for the settings, and lists them. */
export async function listSettings() {
  for (const setting of (await json('api/settings')) ?? []) addSetting(setting);
}

/** Draws what the receiver confirmed. */
export function drawSettings() {
  // Without a receiver nobody answers.
  for (const control of [read, ...asking]) control.disabled = !hasReceiver();
  for (const { setting, output } of values) {
    const { key, field } = setting;
    put(output, asked[key] ? T.asked(asked[key]) : shown(setting, data.settings?.[field]));
  }
}
