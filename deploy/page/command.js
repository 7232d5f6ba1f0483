// Sends commands and remembers them until confirmed.
import {data, listen, mayCommand, proposal, radio} from './stream.js';
import {T} from './texts.js';
import {ask, toast} from './dom.js';
import {mhz} from './units.js';
export const asked = {};
const open = {}, changed = [];
export const onAsked = f => changed.push(f);
function settle(id, text) {
	if (!open[id]) return;
	delete asked[open[id]];
	delete open[id];
	toast(text);
	changed.forEach(f => f());
}
function take(a) {
	if (a.final) settle(a.id, a.error ? T.refused + a.error.message : a.status == 'timed_out' ? T.timedOut : `${T.done}: ${open[a.id]}`);
}
listen(() => take(data.command_response), 'command_response');
// `what` names the control; `value` is the wanted value.
export async function send(body, what, value = '…') {
	if (!mayCommand()) return toast(T.readOnly);
	const id = `page-${Math.random().toString(36).slice(2)}`;
	open[id] = what;
	asked[what] = value;
	changed.forEach(f => f());
	setTimeout(settle, 6e4, id, T.timedOut);
	try {
		const r = await fetch('/api/command', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({...body, id})});
		if (!r.ok) throw new Error(await r.text());
		take(await r.json());
	} catch (e) {
		settle(id, `${T.unreachable} ${e.message}`);
	}
}
// Asks first if the receiver would leave a flying sonde.
export async function tune(frequency, type, body) {
	const r = radio(), s = data.state;
	if (s?.source == 'ble' && s.phase != 'landed' && r && !await ask(T.tuneAsk(s.serial || '?', mhz(r.frequency_mhz), mhz(frequency)))) return;
	send(body || {frequency, ...(type ? {type} : {})}, T.frequency, mhz(frequency));
}
export function acceptProposal() {
	const p = proposal();
	if (p) tune(p.frequency_mhz, p.sonde_type, {accept_proposal: true});
}
