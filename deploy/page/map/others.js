// What others report, as markers: sondes around, crews, the recovery, where the next launches land.
import { crewFacts, launchFacts, recoveryFacts, sondeActs, sondeFacts } from '../crew/facts.js';
import { data } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import { fan } from './fan.js';
import { dot, line, pair } from './icons.js';

/** Pixels within which markers hide one another, and the width of the largest. */
const near = 18;
const size = 40;

/**
 * @typedef {object} Other
 * @property {string} kind    A key of `T.names`.
 * @property {string} name    Of the sonde, the crew or the launch site.
 * @property {any} place      With latitude and longitude.
 * @property {() => string} facts
 * @property {Array<[string, () => void]>} acts
 */

/** @returns {Other[]} */
function found() {
  const sondes = (data.sondes?.sondes ?? []).filter(sonde => !sonde.hunted);
  const recovery = typeof data.recovery?.latitude === 'number' ? [data.recovery] : [];
  const launches = (data.launches?.launches ?? []).filter(launch => launch.landing);
  return [
    ...sondes.map(sonde => ({
      kind: 'other',
      name: sonde.serial,
      place: sonde,
      facts: () => sondeFacts(sonde),
      acts: sondeActs(sonde),
    })),
    ...(data.crews?.crews ?? data.crews ?? []).map(crew => ({
      kind: 'crew',
      name: crew.callsign,
      place: crew,
      facts: () => crewFacts(crew),
      acts: [],
    })),
    ...recovery.map(report => ({
      kind: 'recovery',
      name: report.serial,
      place: report,
      facts: () => recoveryFacts(report),
      acts: [],
    })),
    ...launches.map(launch => ({
      kind: 'launch',
      name: launch.name ?? launch.site,
      place: launch.landing,
      facts: () => launchFacts(launch),
      acts: [],
    })),
  ];
}

let shown = '';

/**
 * Draws the markers, and fans out those at one place, the main ones too.
 * @param {object} on
 * @param {any} on.map
 * @param {any} on.group   The layer.
 * @param {boolean} on.isOn  Whether the layer is shown.
 * @param {Record<string, any>} on.marks  The main markers.
 * @param {Record<string, any>} on.places  Where they belong; null if they are not shown.
 * @param {(kind: string, at: any, more: any[], acts: Other['acts']) => void} on.card
 */
export function drawOthers({ map, group, isOn, marks, places, card }) {
  const others = isOn ? found() : [];
  const key = JSON.stringify([
    isOn && [data.sondes, data.crews, data.recovery, data.launches],
    Object.values(places).map(String),
    map.getZoom(),
  ]);
  if (key === shown) return;
  shown = key;
  group.clearLayers();
  const mains = Object.keys(marks).filter(name => places[name]);
  const all = [...mains.map(name => places[name]), ...others.map(other => L.latLng(pair(other.place)))];
  const spots = all.map(place => map.project(place, map.getZoom()));
  const offsets = fan(spots, near, size);
  const moved = all.map((place, i) =>
    offsets[i].x || offsets[i].y ? map.unproject(spots[i].add(L.point(offsets[i])), map.getZoom()) : place,
  );
  all.forEach((place, i) => {
    if (moved[i] !== place) line([place, moved[i]], { color: '#888', weight: 2 }).addTo(group);
  });
  mains.forEach((name, i) => {
    marks[name].setLatLng(moved[i]);
  });
  others.forEach((other, i) => {
    const title = T.named(T.names[other.kind], other.name);
    const act = () => card(other.kind, all[mains.length + i], [other.name, other.facts()], other.acts);
    dot(moved[mains.length + i], other.kind, title, act).addTo(group);
  });
}
