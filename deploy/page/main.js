// Screens, keys, night colours, signs of loss.
// The map, the crew's and the receiver's screen are loaded after the
// first numbers. If one is missing, the others work without it.
import { drawDrive, useGuide } from './drive/drive.js';
import { statusSentence } from './drive/words.js';
import { attempt } from './shared/attempt.js';
import { $, body, cls, dialog, el, leaveToast, put, sheet, toast } from './shared/dom.js';
import { now as currentSituation } from './shared/model.js';
import { stored } from './shared/stored.js';
import {
  chase,
  data,
  gatewayTime,
  isLost,
  isReplaced,
  isSynced,
  landing,
  listen,
  mayCommand,
  position,
  proposal,
  silence,
  start,
} from './shared/stream.js';
import { language, T, textBy, useGatewaysLanguage } from './shared/texts.js';
import * as u from './shared/units.js';

const screens = ['drive', 'map', 'crew', 'receiver'];
const nights = ['on', 'off', 'auto'];
/** The sun's height in degrees below which it is night. */
const duskHeight = -3;

/**
 * The modules that come later.
 * @typedef {object} Parts
 * @property {typeof import('./drive/guide.js')} guide
 * @property {typeof import('./shared/icons.js')} icons
 * @property {typeof import('./drive/landed.js')} landed
 * @property {typeof import('./drive/ribbon.js')} ribbon
 * @property {typeof import('./hunt/bar.js')} hunt
 * @property {typeof import('./drive/walk.js')} walk
 * @property {typeof import('./shared/sun.js')} sun
 * @property {typeof import('./shared/command.js')} command
 * @property {typeof import('./shared/sound.js')} sound
 * @property {typeof import('./drive/take.js')} take
 * @property {typeof import('./drive/newcomer.js')} newcomer
 * @property {typeof import('./receiver/rows.js')} panel
 * @property {typeof import('./crew/crew.js')} crew
 * @property {typeof import('./receiver/receiver.js')} receiver
 * @property {typeof import('./map/map.js')} map
 * @property {typeof import('./setup/setup.js')} setup
 * @property {typeof import('./shared/design.js')} design
 */

/**
 * Those that are there.
 * @type {Partial<Parts>}
 */
const parts = {};

/** @param {string} name */
function show(name) {
  if (name !== shownName()) leaveToast();
  for (const screen of screens) {
    $(screen).hidden = screen !== name;
    $(`go-${screen}`).setAttribute('aria-current', String(screen === name));
  }
  history.replaceState(null, '', `#${name}`);
  // What stands below the map makes it smaller: the view is chosen after that.
  drawDrive();
  parts.ribbon?.drawRibbon();
  opened(name);
  draw();
}

const shownName = () => screens.find(screen => !$(screen).hidden);

/** @param {string} name */
function opened(name) {
  if (name === 'map') parts.map?.shownMap();
  if (name === 'crew') parts.crew?.shownCrew();
  if (name === 'receiver') parts.receiver?.shownReceiver();
}

const upright = matchMedia('(orientation: portrait)');

let isDue = false;

// Draws at most once a frame.
function drawLater() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(draw);
}

function draw() {
  isDue = false;
  cls(body, 'lost', isLost() || isReplaced());
  const lost = isReplaced() ? T.replaced : T.lostFor(u.span(silence()));
  put($('lost'), isLost() || isReplaced() ? lost : '');
  cls(body, 'readonly', !mayCommand());
  put($('offer').lastChild, `${T.tune} ${u.mhz(proposal()?.frequency_mhz)}`);
  $('offer').hidden = !proposal();
  drawColours();
  for (const act of drawings) attempt(act);
}

/** What is drawn, part by part: one that fails leaves the others. */
const drawings = [
  drawDrive,
  () => parts.take?.drawTake(),
  () => parts.landed?.drawLanded(),
  () => parts.hunt?.drawHunt(),
  () => parts.walk?.drawWalk(),
  () => parts.ribbon?.drawRibbon(),
  () => parts.map?.drawMap(),
  () => parts.crew?.drawCrew(),
  () => parts.receiver?.drawReceiver(),
  () => parts.panel?.drawPanel(),
];

function isDark() {
  const choice = stored.read('night') || 'auto';
  if (choice !== 'auto') return choice === 'on';
  const place = chase()?.car ?? position() ?? landing();
  if (!place || !isSynced() || !parts.sun) return matchMedia('(prefers-color-scheme: dark)').matches;
  return parts.sun.sunHeight(gatewayTime(), place.latitude, place.longitude) < duskHeight;
}

function drawColours() {
  const dark = isDark();
  if (body.classList.contains('night') === dark) return;
  cls(body, 'night', dark);
  $('theme').setAttribute('content', getComputedStyle(body).getPropertyValue('--fill').trim());
  parts.map?.recolour();
}

function nextNight() {
  const next = nights[(nights.indexOf(stored.read('night') ?? '') + 1) % nights.length];
  stored.keep('night', next);
  put($('night').lastChild, `${T.night} ${T.nights[next]}`);
  draw();
}

function nextUnits() {
  u.nextUnits();
  draw();
}

const arrows = {
  ArrowLeft: () => parts.map?.pan(-1, 0),
  ArrowRight: () => parts.map?.pan(1, 0),
  ArrowUp: () => parts.map?.pan(0, -1),
  ArrowDown: () => parts.map?.pan(0, 1),
};

/**
 * Touches a button of the signal's bar, while it is shown.
 * @param {string} id
 */
function touch(id) {
  const button = document.getElementById(id);
  if (button?.getClientRects().length) button.click();
}

/** @type {Record<string, () => void>} */
const acts = {
  ...arrows,
  d: () => show('drive'),
  m: () => show('map'),
  c: () => show('crew'),
  r: () => show('receiver'),
  i: () => parts.panel?.showPanel(),
  f: () => parts.map?.nextMode(),
  l: () => parts.map?.chooseLayers(),
  n: nextNight,
  s: () => parts.sound?.toggleSound(),
  u: nextUnits,
  t: () => touch('tone'),
  b: () => touch('ahead'),
  '?': () =>
    sheet(
      T.keys,
      ...String(T.help)
        .split('. ')
        .map(line => el('p', {}, line)),
    ),
  '+': () => parts.map?.zoom(1),
  '-': () => parts.map?.zoom(-1),
  ' ': () => parts.command?.acceptProposal(),
};

document.addEventListener('keydown', event => {
  const { key } = event;
  const on = /** @type {Element} */ (event.target);
  const isTaken = on.matches('input,select') || (key === ' ' && on.matches('button,summary'));
  const isForDialog = dialog() && key !== 'i';
  const isForScrolling = key in arrows && $('map').hidden;
  if (!(key in acts) || event.ctrlKey || event.altKey || event.metaKey) return;
  if (isTaken || isForDialog || isForScrolling) return;
  event.preventDefault();
  acts[key]();
});

function nameScreens() {
  $('nav').setAttribute('aria-label', T.screens);
  $('buttons').setAttribute('aria-label', T.map);
  put($('arrow').querySelector('text'), T.north);
  for (const screen of screens) {
    $(screen).setAttribute('aria-label', textBy(screen));
    put($(screen).querySelector('h1'), textBy(screen));
  }
}

/**
 * A button whose icon comes later. The word is the last child.
 * @param {string} id
 * @param {string} name  The icon's.
 * @param {string} words
 * @param {() => void} onclick
 * @param {Record<string, unknown>} [props]
 */
const iconButton = (id, name, words, onclick, props = {}) =>
  el('button', { id, type: 'button', onclick, 'data-icon': name, ...props }, el('span', {}, words));

function addButtons() {
  for (const screen of screens)
    $('nav').append(iconButton(`go-${screen}`, screen, textBy(screen), () => show(screen)));
  $('nav').append(iconButton('offer', 'tune', '', acts[' '], { class: 'mine' }));
  const ends = [
    iconButton('sound', 'mute', T.sound, acts.s, { class: 'end' }),
    iconButton('night', 'night', T.night, nextNight, { class: 'end' }),
  ];
  const tools = [
    iconButton('follow', 'follow', T.follow, acts.f),
    iconButton('layers', 'layers', T.layers, acts.l),
    iconButton('more', 'more', T.more, () => parts.map?.more()),
  ];
  $('buttons').append(...tools);
  // The bar of an upright phone has no room for them: there they stand on the map.
  const place = () => {
    if (upright.matches) $('layers').after(...ends);
    else $('nav').append(...ends);
  };
  place();
  upright.addEventListener('change', place);
  for (const id of ['strip', 'numbers', 'small']) $(id).onclick = acts.i;
  $('arrow').onclick = sayStatus;
}

// The gateway says its sentence to all who listen, in its one language.
// Without the gateway the page says what Drive shows.
async function sayStatus() {
  const canAsk = mayCommand() && !isLost() && data.bridge_info?.language === language;
  const answer = canAsk && (await parts.command?.post({ request: 'status' }).catch(() => null));
  if (answer && !answer.error) return;
  const sentence = statusSentence(currentSituation());
  toast(sentence, true);
  parts.sound?.say(sentence);
}

/**
 * Loads a part, and starts it. If it is missing, words take its place.
 * @template {keyof Parts} N
 * @param {N} name
 * @param {string} path
 * @param {(part: Parts[N]) => void} begin
 */
async function load(name, path, begin) {
  try {
    const part = await import(path);
    begin(part);
    parts[name] = part;
    if (shownName() === name) opened(name);
    drawLater();
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    console.warn(`${path}: ${message}`);
    document.getElementById(name)?.append(el('p', { role: 'alert' }, T.partMissing));
  }
}

/**
 * @param {(href: string) => void} loadStyle
 * @param {(src: string) => Promise<void>} loadScript
 */
async function loadMap(loadStyle, loadScript) {
  loadStyle('leaflet/leaflet.css');
  // Without it the map says what is missing.
  await loadScript('leaflet/leaflet.js').catch(() => {});
  await load('map', './map/map.js', part => part.startMap());
}

/** @param {string} serial */
function replay(serial) {
  show('map');
  parts.map?.replay(serial);
}

/** Icon and manifest: what a home screen shows. */
function addSigns() {
  /** @type {Array<[string, string]>} */
  const links = [
    ['icon', 'style/icon.svg'],
    ['apple-touch-icon', 'style/icon.png'],
    ['manifest', 'manifest.json'],
  ];
  document.querySelector('link[rel=icon]')?.remove();
  for (const [rel, href] of links)
    document.head.append(el('link', { rel, href, crossorigin: 'use-credentials' }));
}

let isLoading = false;

// The first report draws the first numbers; the rest is loaded after them.
async function loadRest() {
  if (isLoading) return;
  isLoading = true;
  const { loadOwnStyle, loadScript, loadStyle } = await import('./shared/load.js');
  for (const name of ['controls', 'screens', 'marks', 'hunt']) loadOwnStyle(`style/${name}.css`);
  loadOwnStyle('b612/font.css');
  load('guide', './drive/guide.js', useGuide);
  load('icons', './shared/icons.js', part => part.addIcons());
  addSigns();
  load('landed', './drive/landed.js', part => part.startLanded());
  load('ribbon', './drive/ribbon.js', () => {});
  load('hunt', './hunt/bar.js', part => part.startHunt());
  load('walk', './drive/walk.js', part => part.startWalk());
  load('sun', './shared/sun.js', () => {});
  load('command', './shared/command.js', () => {});
  load('sound', './shared/sound.js', () => {});
  load('take', './drive/take.js', part => part.startTake());
  load('newcomer', './drive/newcomer.js', part => part.startNewcomer());
  load('panel', './receiver/rows.js', () => {});
  load('crew', './crew/crew.js', part => part.startCrew(replay));
  load('receiver', './receiver/receiver.js', part => part.startReceiver());
  loadMap(loadStyle, loadScript);
  if (isSetup) openSetup();
  if (isDesign) load('design', './shared/design.js', part => part.showDesign());
}

/** The page of components is asked for. */
const isDesign = location.hash === '#design';

/** The questions of setup are asked for. */
const isSetup = location.hash === '#setup';
const openSetup = () => load('setup', './setup/setup.js', part => part.openSetup());

nameScreens();
addButtons();
$('unstarted').remove();
listen(drawLater);
addEventListener('resize', drawLater);
listen(() => useGatewaysLanguage(data.bridge_info?.language), 'bridge_info');
listen(() => u.useUnits(data.bridge_info?.units), 'bridge_info');
// A landing is said on every screen, and what somebody asked for on that where it was asked.
listen(() => {
  const { event, text = '' } = data.event ?? {};
  if (event === 'status' || event === 'landed') toast(text, event === 'status');
}, 'event');
listen(() => requestAnimationFrame(loadRest), 'state', 'tick');
const named = () => screens.find(screen => `#${screen}` === location.hash);
// A link to a screen of this page loads nothing anew.
addEventListener('hashchange', () => {
  const name = named();
  if (name) show(name);
  else if (location.hash === '#setup') openSetup();
});
start();
show(named() || 'drive');
