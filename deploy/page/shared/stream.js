// The reports, and their ages by the page's clock.
import { attempt } from './attempt.js';
import { now } from './clock.js';
import { handOver } from './early.js';

/**
 * The newest report of each kind, as the gateway publishes it.
 * @type {Report.Data}
 */
export const data = {};

/** The same for a kind whose name the gateway tells. */
const reports = /** @type {Record<string, unknown>} */ (data);

/** The flight's track: [milliseconds since 1970, latitude, longitude, altitude in metres, source]. */
/** @type {TrackPoint[]} */
export const track = [];

/** The most points of the live track; beyond, the gateway's thinned track is loaded. */
const mostPoints = 12000;

/**
 * When each kind arrived.
 * @type {Record<string, number>}
 */
const at = {};
/** @type {Array<{act: (kind: string) => void, kinds: string[]}>} */
const listeners = [];

export { now };

/**
 * An `EventSource`, or what plays one.
 * @typedef {object} Source
 * @property {(name: string, act: (event: any) => void) => void} addEventListener
 * @property {() => void} close
 * @property {?((event: Event) => void)} onopen
 */

/** @type {Source | undefined} */
let source;
/**
 * Opens the gateway's event stream, or what takes its place.
 * @type {() => Source}
 */
let makeSource = () => new EventSource('api/events');
let heardAt = now();
let openedAt = 0;
/** Whether the open stream has brought its snapshot. Until then the last one's reports stay and age. */
let isBegun = false;
let replaced = false;
/** Whether the gateway closed this page's stream because too many pages are open. */
export const isReplaced = () => replaced;
/** @type {?string | undefined} */
let serial;
/** @type {?object | undefined} */
let asking;
let knownPoints = Number.NaN;
let ahead = -Infinity;
let lag = 0;

/**
 * Calls `act` after each report of these kinds, or of any. `tick` comes twice a second.
 * @param {(kind: string) => void} act
 * @param {...string} kinds
 */
export function listen(act, ...kinds) {
  listeners.push({ act, kinds });
}

/** @param {string} kind */
function tell(kind) {
  for (const { act, kinds } of listeners) if (!kinds.length || kinds.includes(kind)) attempt(() => act(kind));
}

/** Milliseconds since the gateway was last heard, or by which its messages come late: the more of both. */
export const silence = () => Math.max(now() - heardAt, lag);

/** Whether that is more than 5 s. */
export const isLost = () => silence() > 5000;

/**
 * Milliseconds since the newest report of this kind.
 * @param {string} kind
 */
export const since = kind => (kind in at ? now() - at[kind] : Infinity);

/**
 * @template {keyof Report.Kinds} K
 * @param {K} kind
 * @returns {() => Report.Kinds[K] | null}
 */
const newest = kind => () => {
  const report = /** @type {Report.Kinds[K] | undefined} */ (reports[kind]);
  return report && Object.keys(report).length ? report : null;
};

// The newest of each; null if it is unknown.
export const position = newest('position');
export const radio = newest('radio');
export const flight = newest('flight');
export const landing = newest('landing');
export const prediction = newest('prediction');
export const horizon = newest('horizon');
export const proposal = newest('proposal');
export const health = newest('health');
export const route = newest('route');

/**
 * The report `chase`; null if it has no car, or once it stops.
 * @returns {?Report.LiveChase}
 */
export const chase = () =>
  data.chase?.car && (isLost() || since('chase') < 30000)
    ? /** @type {Report.LiveChase} */ (data.chase)
    : null;

/**
 * Asks the gateway for JSON; undefined after a failure.
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function json(path) {
  try {
    const answer = await fetch(path);
    return answer.ok ? await answer.json() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The age of a report, or of its part, by its `age_ms`: milliseconds, or Infinity.
 * @param {keyof Report.Kinds} kind
 * @param {string} [part]
 */
export function age(kind, part) {
  /** @type {any} */
  const whole = data[kind];
  const report = part ? whole?.[part] : whole;
  return typeof report?.age_ms === 'number' ? report.age_ms + since(kind) : Infinity;
}

/** The gateway's clock: milliseconds since 1970, or NaN. */
export const gatewayTime = () => (data.alive ? Date.parse(data.alive.at) + since('alive') : Number.NaN);

/** The age of the last position, also of a flight resumed after a restart: milliseconds, or Infinity. */
export function heard() {
  if (Number.isFinite(age('position'))) return age('position');
  const last = flight()?.last;
  return last ? gatewayTime() - Date.parse(last.time) : Infinity;
}

/** Whether the gateway's clock is set. */
export const isSynced = () => data.alive?.clock_synced === true;

/**
 * Milliseconds since the gateway got the report, by the gateway's clock, or Infinity.
 * @param {'position' | 'radio'} kind
 */
export function receivedAge(kind) {
  const at = data[kind]?.received_at;
  return at && data.alive ? Math.max(0, gatewayTime() - Date.parse(at)) : Infinity;
}

/** Whether the receiver is connected: what it is asked for then reaches it. */
export const hasReceiver = () => data.receiver_state === 'online';

/**
 * A setting of the gateway, as text; nothing if it is not set.
 * @param {string} key
 */
export const configuration = key => data.bridge_info?.configuration?.[key];
export const mayCommand = () => configuration('dashboard.commands') !== 'false';
/** Whether a report of a recovery may be given: somebody may command, and SondeHub is in use. */
export const usesSondeHub = () => mayCommand() && configuration('sondehub.enabled') !== 'false';
/** Whether SondeHub would take it: it wants a call sign. */
export const canReport = () => usesSondeHub() && !!configuration('sondehub.callsign');

/** @param {Report.Alive} alive */
function noteDelay(alive) {
  // A delayed message is older than it says.
  const lead = Date.parse(alive.at) - heardAt;
  ahead = Math.max(ahead, lead);
  lag = ahead - lead;
}

/** @param {Report.Flight} flight */
function followFlight({ track_points: count }) {
  // A gap was filled; the store has it soon.
  if (Math.abs(count - knownPoints) > 5) setTimeout(loadTrack, 3000);
  knownPoints = count;
}

/** @param {Report.State} state */
function changeSonde(state) {
  serial = state.serial;
  if (data.position?.serial !== serial) delete data.position;
  track.length = 0;
  loadTrack();
}

/**
 * @param {string} kind
 * @param {string} text
 * @param {number} [when]  Milliseconds of the page's clock: when it came.
 */
function receive(kind, text, when = now()) {
  // A sign of life comes before the snapshot.
  if (!isBegun && kind !== 'alive') {
    for (const old in reports) if (old !== 'alive') delete reports[old];
    serial = undefined;
    isBegun = true;
  }
  heardAt = when;
  reports[kind] = kind === 'receiver_state' ? text : JSON.parse(text);
  const { alive, state, flight, position } = data;
  if (kind === 'alive' && alive) noteDelay(alive);
  at[kind] = heardAt - lag;
  if (kind === 'state' && state && state.serial !== serial) changeSonde(state);
  if (kind === 'flight' && flight) followFlight(flight);
  if (kind === 'position' && position) addPoint(position);
  tell(kind);
}

/** @param {Report.Position} p */
function addPoint(p) {
  if (asking || p.serial !== serial) return;
  const t = Date.parse(p.time);
  const last = track.at(-1);
  if (last && t <= last[0]) return;
  knownPoints++;
  track.push([t, p.latitude, p.longitude, p.altitude_m, p.source]);
  if (track.length > mostPoints) loadTrack();
}

async function loadTrack() {
  const mine = {};
  asking = mine;
  /** @type {TrackPoint[] | undefined} */
  const points = await json('api/track?max=10000');
  if (mine !== asking) return;
  if (points) track.splice(0, track.length, ...points);
  asking = null;
  tell('track');
}

/**
 * Listens to an open source.
 * @param {Source} opened
 * @param {import('./early.js').Told[]} [told]  What it told before.
 */
function follow(opened, told = []) {
  source?.close();
  replaced = false;
  openedAt = now();
  ahead = -Infinity;
  source = opened;
  const known = new Set();
  /** @param {string} text  The names of events. */
  const listenTo = text => {
    for (const name of JSON.parse(text)) {
      // They come again when the browser opens the stream anew.
      if (known.has(name)) continue;
      known.add(name);
      opened.addEventListener(name, event => receive(name, event.data));
    }
  };
  // Another page took this one's place. Opening anew would take that of a third.
  const replace = () => {
    replaced = true;
    opened.close();
    tell('tick');
  };
  // The first event names the others.
  opened.addEventListener('topics', topics => listenTo(topics.data));
  opened.addEventListener('replaced', replace);
  opened.onopen = () => {
    isBegun = false;
  };
  for (const { kind, text, when } of told) {
    if (kind === 'topics') listenTo(text);
    else if (kind === 'replaced') replace();
    else receive(kind, text, when);
  }
}

const open = () => follow(makeSource());

/**
 * Listens to another source from now on.
 * @param {() => Source} make
 */
export function useSource(make) {
  makeSource = make;
  open();
}

/** Opens the event stream, and keeps it open while the page is visible. */
export function start() {
  const early = handOver();
  if (early) follow(early.source, early.told);
  else open();
  // A hidden page closes its stream: browsers allow six a host.
  document.addEventListener('visibilitychange', () => (document.hidden ? source?.close() : open()));
  document.addEventListener('pointerdown', () => replaced && open());
  document.addEventListener('keydown', () => replaced && open());
  setInterval(() => {
    // A connection that died unseen stays open: its data is old.
    if (isLost() && !replaced && now() - openedAt > 5000 && !document.hidden) open();
    tell('tick');
  }, 500);
}
