// The reports, and their ages by the browser's monotonic clock.
export const data = {}, track = [];
const at = {}, listeners = [];
export const now = () => performance.now();
let source, heardAt = now(), openedAt, serial, asking, known, ahead, lag = 0;
export const listen = (f, ...kinds) => listeners.push([f, kinds]);
const tell = kind => listeners.forEach(([f, kinds]) => (!kinds.length || kinds.includes(kind)) && f(kind));
export const silence = () => now() - heardAt;
export const isLost = () => silence() > 5000 || lag > 5000;
export const since = kind => kind in at ? now() - at[kind] : 1 / 0;
// The newest of each; null if unknown.
export const [position, radio, flight, landing, prediction, proposal, health, route] =
	'position radio flight landing prediction proposal health route'.split(' ').map(k => () => data[k] && Object.keys(data[k]).length ? data[k] : null);
// Undefined after a failure.
export const json = path => fetch(path).then(r => r.json()).catch(() => undefined);
export const age = (kind, part) => {
	const r = part ? data[kind]?.[part] : data[kind];
	return r && typeof r.age_ms == 'number' ? r.age_ms + since(kind) : 1 / 0;
};
export const gatewayTime = () => data.alive ? Date.parse(data.alive.at) + since('alive') : NaN;
// Includes a flight resumed after a restart.
export const heard = () => isFinite(age('position')) ? age('position') : flight()?.last ? gatewayTime() - Date.parse(flight().last.time) : 1 / 0;
export const isSynced = () => data.alive?.clock_synced === true;
// The age since the gateway got it, by the gateway's clock.
export const receivedAge = kind => data[kind]?.received_at && data.alive ? Math.max(0, gatewayTime() - Date.parse(data[kind].received_at)) : 1 / 0;
export const configured = key => data.bridge_info?.configuration['dashboard.' + key];
export const mayCommand = () => configured('commands') !== 'false';

function take(kind, text) {
	heardAt = now();
	data[kind] = kind == 'receiver_state' ? text : JSON.parse(text);
	if (kind == 'alive') {
		// A delayed message is older than it says.
		const lead = Date.parse(data.alive.at) - heardAt;
		ahead = Math.max(ahead, lead);
		lag = ahead - lead;
	}
	at[kind] = heardAt - lag;
	if (kind == 'state' && data.state.serial != serial) {
		serial = data.state.serial;
		if (data.position?.serial != serial) delete data.position;
		track.length = 0;
		loadTrack();
	}
	if (kind == 'flight') {
		const n = data.flight.track_points;
		// A gap was filled; the store has it soon.
		if (Math.abs(n - known) > 5) setTimeout(loadTrack, 3e3);
		known = n;
	}
	if (kind == 'position') addPoint(data.position);
	tell(kind);
}
function addPoint(p) {
	if (asking || p.serial != serial) return;
	const t = Date.parse(p.time);
	if (t <= track.at(-1)?.[0]) return;
	known++;
	track.push([t, p.latitude, p.longitude, p.altitude_m, p.source]);
	if (track.length > 12000) loadTrack();
}
async function loadTrack() {
	const mine = asking = {}, points = await json('/api/track?max=10000');
	if (mine != asking) return;
	if (points) track.splice(0, 1e9, ...points);
	asking = null;
	tell('track');
}
function open() {
	source?.close();
	openedAt = now();
	ahead = -1 / 0;
	source = new EventSource('/api/events');
	// The first event names the others.
	source.addEventListener('topics', e => { for (const name of JSON.parse(e.data)) source.addEventListener(name, e => take(name, e.data)); });
	source.onopen = () => { for (const k in data) delete data[k]; serial = undefined; };
}
export function start() {
	open();
	// A hidden page closes its stream: browsers allow six a host.
	document.addEventListener('visibilitychange', () => document.hidden ? source.close() : open());
	setInterval(() => {
		// A connection that died unseen stays open: its data is old.
		if (isLost() && now() - openedAt > 5000 && !document.hidden) open();
		tell('tick');
	}, 500);
}
