// Sends commands and remembers them until they are confirmed.
import { sentence } from './answer.js';
import { attempt } from './attempt.js';
import { ask, toast } from './dom.js';
import { data, listen, mayCommand, proposal, radio } from './stream.js';
import { language, T } from './texts.js';
import { mhz } from './units.js';

/** Milliseconds to wait for the final answer. */
const answerLimit = 60000;

/**
 * The values that were asked for and are not confirmed yet, by control.
 * @type {Record<string, string>}
 */
export const asked = {};
/**
 * The control of each open command, by the command's id.
 * @type {Record<string, string>}
 */
const open = {};
/** @type {Array<() => void>} */
const listeners = [];

/**
 * Calls `act` when `asked` changes.
 * @param {() => void} act
 */
export function onAsked(act) {
  listeners.push(act);
}

function tell() {
  for (const act of listeners) attempt(act);
}

/** @param {string} id  @param {string} text  What is shown. */
function settle(id, text) {
  if (!open[id]) return;
  delete asked[open[id]];
  delete open[id];
  toast(text);
  tell();
}

/** @param {Report.CommandResponse} [answer] */
function receive(answer) {
  if (!answer?.final) return;
  const id = String(answer.id);
  settle(id, sentence(answer, open[id], T, language));
}
listen(() => receive(data.command_response), 'command_response');

/**
 * Sends a command's JSON.
 * @param {object} body
 * @returns {Promise<Report.CommandResponse>} The answer; fails if the gateway takes no command now.
 */
export async function post(body) {
  const answer = await fetch('api/command', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/**
 * Sends a command, and shows its progress and its end.
 * @param {object} body   The command.
 * @param {string} what   Names the control.
 * @param {string} value  The wanted value.
 */
export async function send(body, what, value = '…') {
  if (!mayCommand()) return toast(T.readOnly);
  const id = `page-${Math.random().toString(36).slice(2)}`;
  open[id] = what;
  asked[what] = value;
  tell();
  setTimeout(settle, answerLimit, id, T.timedOut);
  try {
    receive(await post({ ...body, id }));
  } catch (error) {
    console.warn(/** @type {Error} */ (error).message);
    settle(id, T.unreachable);
  }
}

/**
 * Tunes. Asks first if the receiver would leave a flying sonde.
 * @param {number} frequency  MHz.
 * @param {?string} [type]
 * @param {object} [body]  The command, if it is another one.
 */
export async function tune(frequency, type, body) {
  const r = radio();
  const s = data.state;
  const isFlying = s?.source === 'ble' && s.phase !== 'landed';
  if (isFlying && r) {
    const agrees = await ask(
      T.tuneAsk({ name: s.serial || '?', old: mhz(r.frequency_mhz), f: mhz(frequency) }),
    );
    if (!agrees) return;
  }
  send(body || { frequency, ...(type ? { type } : {}) }, T.frequency, mhz(frequency));
}

/** Tunes as the gateway proposes. */
export function acceptProposal() {
  const p = proposal();
  if (p) tune(p.frequency_mhz, p.sonde_type, { accept_proposal: true });
}
