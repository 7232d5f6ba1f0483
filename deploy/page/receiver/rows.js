// The rows of all data: what each says, and how old it is.
import { capital, landingAway, landingPlace, landingTime, marginText, whenText } from '../drive/words.js';
import { waiting } from '../shared/diagnosis.js';
import { cls, dialog, el, put, sheet } from '../shared/dom.js';
import { aged, carAge, facts, landingIn, phaseWord, sondeLimit } from '../shared/model.js';
import { sondeFrequency } from '../shared/radio.js';
import {
  age,
  chase,
  data,
  flight,
  gatewayTime,
  health,
  heard,
  isLost,
  isSynced,
  landing,
  position,
  prediction,
  radio,
  receivedAge,
  silence,
} from '../shared/stream.js';
import { T, textBy } from '../shared/texts.js';
import { townOf } from '../shared/towns.js';
import * as u from '../shared/units.js';

/**
 * Whether a value is there.
 * @template V
 * @param {V} v
 * @returns {v is NonNullable<V>}
 */
export const has = v => v != null;

/**
 * A value as text; a dash if it is missing.
 * @param {string | u.Figure | null | undefined | false} v
 */
export function dash(v) {
  if (v == null || v === '' || v === false) return '–';
  return Array.isArray(v) ? u.text(v) : String(v);
}

/** @param {?number | undefined} f */
const megahertz = f => u.known(f) && `${u.mhz(f)} MHz`;
/** @param {number} seconds */
const inTime = seconds => T.inTime(u.text(u.countdown(seconds)));

/** Seconds that the landing may come earlier or later. */
const landingOff = () => landing()?.landing_error_50_s;

/** "≈ 14:20 ± 12 min". */
function landsAt() {
  const left = landingIn();
  const when = landingTime(landing()) ?? (has(left) && inTime(left));
  const seconds = landingOff() ?? 0;
  const off = u.timeStep(seconds) > 0 && u.text(u.countdown(Math.round(seconds / 60) * 60));
  return when && off ? `${when} ± ${off}` : when;
}

function arrival() {
  const route = chase()?.route;
  if (!route) return null;
  return `${whenText(route.arrival_at) ?? inTime(route.duration_s)} (${T.methods[route.method]})`;
}

function descentRate() {
  const rate = flight()?.descent_rate_mps;
  return has(rate) ? u.text(u.climb(rate)) + (prediction() ? ` (${T.inUse})` : '') : null;
}

/** When the sonde switches itself off after the burst: a time of day, from the receiver or from SondeHub. */
function burstKiller() {
  const r = radio();
  const left =
    r?.burst_killer_enabled && has(r.burst_killer_s) ? r.burst_killer_s - receivedAge('radio') / 1000 : null;
  const at = left == null ? position()?.burst_killer_at : new Date(gatewayTime() + left * 1000).toISOString();
  if (!at) return null;
  return whenText(at) ?? inTime((Date.parse(at) - gatewayTime()) / 1000);
}

function method() {
  const l = landing();
  if (l?.source === 'bearings')
    return u.joined(T.signals.byBearings, T.ninetyWithin(u.text(u.radius(l.error_radius_90_m))));
  const p = prediction();
  if (!p) return null;
  return u.joined(
    T.methods[p.method],
    T.ninetyWithin(u.text(u.radius(p.error_radius_90_m))),
    T.old(u.span(age('prediction'))),
  );
}

// A SondeHub that does not answer has not lost the sonde.
function reason() {
  const { reason: code, sondehub: hub } = data.state ?? {};
  if (hub?.error && ['sondehub_timed_out', 'sondehub_silent'].includes(code ?? ''))
    return T.named({ name: T.sondehub, value: T.noAnswer(T.faults[hub.error] ?? hub.error) });
  return T.reasons[code ?? ''];
}

function sondehub() {
  const s = data.state?.sondehub;
  if (!s || !has(s.poll_s)) return s && T.notUsed;
  const answer = s.error ? T.noAnswer(T.faults[s.error] ?? s.error) : s.available ? T.has : T.hasNot;
  return T.poll({ answer, t: u.span(s.poll_s * 1000) });
}

/** Where the search for a sonde is. */
function search() {
  const s = data.state?.search;
  if (!s?.on) return s && T.searchOff;
  if (!s.tuning) return T.searchPauses;
  return `${u.mhz(s.tuning.frequency_mhz)} MHz ${s.tuning.sonde_type} (${T.searchStep({ index: s.index, count: s.of })})`;
}

/**
 * Where something is: degrees to copy, and words.
 * @param {?Placed | undefined} place
 */
const placeText = place => place && u.joined(u.place(place), townOf(place));

function signal() {
  const rssi = radio()?.rssi_dbm;
  return has(rssi) && `${u.plain(rssi)} dBm`;
}

function battery() {
  const { battery_pct: charge, battery_v: volts } = radio() ?? {};
  return has(charge) && `${charge} % · ${u.plain(volts?.toFixed(2) ?? '–')} V`;
}

function store() {
  const report = health();
  return report && (T.storeFaults[report.store_fault ?? ''] ?? T.works);
}

/**
 * A text, a figure, or nothing.
 * @type {Record<string, () => ?u.Figure | string | false | undefined>}
 */
const rows = {
  sondeAt: () => placeText(position() ?? flight()?.last),
  landingAt: () => landingPlace(landing()),
  carAt: () => placeText(chase()?.car),
  state: () => T.states[data.state?.state ?? ''],
  phase: () => phaseWord(facts()),
  serial: () => u.joined(data.state?.serial, position()?.sonde_type),
  altitude: () => u.height(position()?.altitude_m),
  highest: () => u.height(flight()?.highest_m),
  frequency: () => megahertz(sondeFrequency(radio(), data.state?.source)),
  tuned: () => megahertz(radio()?.frequency_mhz),
  search,
  signal,
  battery,
  vertical: () => u.climb(flight()?.vertical_speed_mps),
  horizontal: () => u.speed(flight()?.horizontal_speed_mps),
  descent: descentRate,
  toSonde: () => u.distance(chase()?.sonde?.distance_m),
  toLanding: () => landingAway(landing(), chase()?.landing?.distance_m),
  remaining: () => u.countdown(landingIn(), landingOff()),
  landsAt,
  arrival,
  margin: () => marginText(chase()?.margin_s, landingOff(), landingIn()),
  killer: burstKiller,
  method,
  reason,
  sondehub,
  store,
  spool: () => health() && (waiting() ? T.spoolText(waiting()) : T.nothingUnsent),
  clock: () => (isSynced() ? whenText(new Date(gatewayTime()).toISOString()) : T.clockUnset),
  version: () => data.bridge_info?.version,
};

/** What only the screen of the receiver shows. */
const receiverRows = 'tuned search reason sondehub store spool clock version'.split(' ');

/** What belongs to the landing point and to the car; the rest is the sonde's. */
const landingRows = 'landingAt remaining landsAt method'.split(' ');
const carRows = 'carAt toSonde toLanding arrival margin'.split(' ');
const others = [...receiverRows, ...landingRows, ...carRows];

/**
 * The parts of all data.
 * @type {Array<[string, string[]]>}
 */
const panelParts = [
  ['sonde', Object.keys(rows).filter(name => !others.includes(name))],
  ['landing', landingRows],
  ['car', carRows],
];

/**
 * The rows that say where something is have one name, and the distances those of Drive.
 * @type {Record<string, string>}
 */
const labels = {
  sondeAt: T.place,
  landingAt: T.place,
  carAt: T.place,
  toSonde: capital(T.toSonde),
  toLanding: capital(T.toLanding),
};

/** @typedef {{age: number, limit?: number}} Age  Milliseconds. */

const bySonde = () => ({ age: heard(), limit: sondeLimit() });
const byRadio = () => ({ age: receivedAge('radio') });
const byGateway = () => ({ age: isLost() ? silence() : 0 });
const byBoth = () => ({ age: Math.max(heard(), carAge()), limit: sondeLimit() });
/** @param {string} names  @param {() => Age} age  @returns {Record<string, () => Age>} */
const sameAge = (names, age) => Object.fromEntries(names.split(' ').map(name => [name, age]));
/**
 * The age of each row that has one.
 * @type {Record<string, () => Age>}
 */
const ages = {
  ...sameAge('sondeAt altitude highest vertical horizontal descent remaining landsAt', bySonde),
  ...sameAge('state phase reason search sondehub store spool clock', byGateway),
  ...sameAge('frequency tuned signal battery killer', byRadio),
  ...sameAge('toSonde margin', byBoth),
  ...sameAge('carAt toLanding arrival', () => ({ age: carAge() })),
};

/**
 * Makes a table of rows.
 * @param {string[]} names
 * @returns {{root: HTMLElement, draw: () => void}}
 */
export function table(names) {
  const cells = names.map(name => ({ name, cell: el('td') }));
  const root = el(
    'table',
    {},
    ...cells.map(({ name, cell }) =>
      el('tr', {}, el('th', { scope: 'row' }, labels[name] ?? textBy(name)), cell),
    ),
  );
  const draw = () => {
    for (const { name, cell } of cells) {
      const value = dash(rows[name]());
      const { age, limit } = ages[name]?.() ?? {};
      const { words, isOld } = aged(value, age, limit);
      put(cell, value + (words && ` · ${words}`));
      cls(cell, 'old', isOld);
    }
  };
  return { root, draw };
}

/**
 * The open panel's tables.
 * @type {Array<ReturnType<typeof table>>}
 */
let panel = [];
const isOpen = () => !!panel[0]?.root.isConnected;

/** Opens the panel, or closes it. */
export function showPanel() {
  if (isOpen()) return dialog()?.close();
  panel = panelParts.map(([, names]) => table(names));
  const parts = panelParts.map(([name], i) =>
    el('section', {}, el('h3', {}, T.names[String(name)]), panel[i].root),
  );
  const d = sheet(T.panel, el('div', { class: 'parts' }, ...parts));
  d.classList.add('side');
  for (const part of panel) part.draw();
}

export function drawPanel() {
  if (isOpen()) for (const part of panel) part.draw();
}
