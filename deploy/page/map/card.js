// Cards of places, and the menu "more".
import { sondeActs } from '../crew/facts.js';
import { heardText, landingTown } from '../drive/words.js';
import { showBearings } from '../hunt/sheet.js';
import { languageChoice } from '../shared/choice.js';
import { send } from '../shared/command.js';
import { button, el, put, sheet } from '../shared/dom.js';
import { carAge } from '../shared/model.js';
import { copy, links } from '../shared/place.js';
import { sondeFrequency } from '../shared/radio.js';
import { age, chase, data, landing, mayCommand, position, radio } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import { townOf } from '../shared/towns.js';
import * as u from '../shared/units.js';
import { places } from './view.js';

/**
 * What a card says and offers. Facts that are not there are left out.
 * @typedef {{facts: Array<?string | undefined | false | 0>, acts: Array<[string, () => void]>}} Content
 */

/** @returns {Content} */
function sondeContent() {
  const r = radio();
  const p = position();
  const { source, serial } = data.state ?? {};
  const frequency = sondeFrequency(r, source);
  const height = p && u.text(u.height(p.altitude_m));
  const facts = [serial, p?.sonde_type, height, heardText(), frequency && `${u.mhz(frequency)} MHz`];
  // This is the sonde that is followed: to hunt it would change nothing.
  const own = { serial, sonde_type: p?.sonde_type, frequency_mhz: frequency, hunted: true };
  return { facts, acts: sondeActs(own) };
}

const takeBack = () => send({ landing_point: null }, T.names.landing, '–');

/** @returns {Content} */
function landingContent() {
  const l = landing();
  if (!l) return { facts: [], acts: [] };
  const facts = [landingTown(l), T.old(u.span(age('landing'))), T.methods[l.method ?? '']];
  if (l.source === 'bearings') facts.push(T.signals.byBearings);
  return { facts, acts: l.source === 'manual' ? [[T.takeBack, takeBack]] : [] };
}

/** @param {Placed} place  @returns {Content} */
function hereContent(place) {
  const setLanding = () => send({ landing_point: place }, T.names.landing, u.place(place));
  return {
    facts: [],
    acts: [
      [T.setLanding, setLanding],
      [T.signals.fromHere, () => showBearings(place)],
    ],
  };
}

/**
 * What the card of each place has of its own; the others say only where they are.
 * @type {Record<string, (place: Placed) => Content>}
 */
const contents = {
  sonde: sondeContent,
  landing: landingContent,
  car: () => ({ facts: [T.old(u.span(carAge()))], acts: [] }),
  here: hereContent,
};

/** @param {string} name  @param {Placed} place  @returns {Content} */
const content = (name, place) => contents[name]?.(place) ?? { facts: [], acts: [] };

/**
 * Leaflet's place with a report's six decimals: turning it around the earth adds a hair.
 * @param {Leaflet.LatLng} place
 */
function plain(place) {
  const { lat, lng } = place.wrap();
  return { latitude: +lat.toFixed(6), longitude: +lng.toFixed(6) };
}

/**
 * Opens the card of a place.
 * @param {string} name
 * @param {Leaflet.LatLng} place
 * @param {Content['facts']} more  Facts beside its own.
 * @param {Content['acts']} others  What else it offers.
 */
export function card(name, place, more = [], others = []) {
  const at = plain(place);
  const { acts } = content(name, at);
  const now = () => plain(/** @type {Record<string, ?Leaflet.LatLng>} */ (places())[name] ?? place);
  // A sonde moves on while its card is open.
  const text = () => u.place(now());
  const town = () => (name === 'landing' ? null : townOf(now()));
  const lines = () => [text(), town(), ...more, ...content(name, at).facts].flatMap(line => line || []);
  const facts = el('div', {});
  const write = () => {
    const shown = lines();
    if (shown.length !== facts.children.length) facts.replaceChildren(...shown.map(t => el('p', {}, t)));
    shown.forEach((line, i) => {
      put(facts.children[i], line);
    });
  };
  write();
  const clock = setInterval(write, 1000);
  /** @param {Content['acts'][number]} act */
  const act = ([words, f]) =>
    button(words, () => {
      d.close();
      f();
    });
  const d = sheet(
    T.names[name] || T.layerNames[name],
    facts,
    el(
      'div',
      { class: 'row' },
      button(T.copy, () => copy(text())),
      ...links(at),
      ...(mayCommand() ? [...acts, ...others].map(act) : []),
    ),
  );
  d.addEventListener('close', () => clearInterval(clock));
}

/** @param {string} words  @param {Node} input */
const field = (words, input) => el('label', { class: 'field' }, words, input);

/**
 * Opens the menu "more".
 * @param {Leaflet.Map} map  Undefined without Leaflet.
 */
export function more(map) {
  const wide = { class: 'wide' };
  /** @param {string} words  @param {() => void} f  @param {Record<string, unknown>} props */
  const act = (words, f, props = {}) => {
    const run = () => {
      d.close();
      f();
    };
    return button(words, run, { ...wide, ...props });
  };
  const serial = el('input', { maxlength: 32 });
  const hunt = () => send({ hunt: serial.value.trim() || null }, T.serial, serial.value);
  const unit = () => T.named({ name: T.units, value: T.unitNames[u.units()] });
  /** @param {Event} e */
  const nextUnit = e => {
    u.nextUnits();
    put(/** @type {Element} */ (e.target), unit());
  };
  const routes = ['car', 'bike'].map(mode =>
    act(T.routes[mode], () => send({ route: { mode } }, T.route, mode), {
      'aria-pressed': String(chase()?.route?.mode === mode),
    }),
  );
  const here = map ? [act(T.setLandingMiddle, () => card('here', map.getCenter()))] : [];
  const form = { class: 'row', method: 'dialog', onsubmit: hunt };
  const pasted = el('input', { maxlength: 2000 });
  const land = () => {
    if (pasted.value.trim()) send({ landing_point: pasted.value.trim() }, T.names.landing);
  };
  const commands = [
    ...routes,
    ...here,
    ...(landing()?.source === 'manual' ? [act(T.takeBack, takeBack)] : []),
    el('form', { ...form, onsubmit: land }, field(T.pasted, pasted), el('button', {}, T.setLanding)),
    el('form', form, field(T.huntSerial, serial), el('button', {}, T.hunt)),
  ];
  const d = sheet(
    T.more,
    ...(mayCommand() ? commands : [T.readOnly]),
    act(T.signals.bearings, () => showBearings(), { id: 'take-bearing' }),
    button(unit(), nextUnit, wide),
    languageChoice(),
  );
}
