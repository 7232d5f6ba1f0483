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
 * @property {Placed} place
 * @property {() => string} facts
 * @property {Array<[string, () => void]>} acts
 */

/** @returns {Other[]} */
function found() {
  const sondes = (data.sondes?.sondes ?? []).filter(sonde => !sonde.hunted);
  const report = data.recovery ?? {};
  const { latitude, longitude, serial = '' } = report;
  const isPlaced = typeof latitude === 'number' && typeof longitude === 'number';
  const launches = data.launches?.launches ?? [];
  return [
    ...sondes.map(sonde => ({
      kind: 'other',
      name: sonde.serial,
      place: sonde,
      facts: () => sondeFacts(sonde),
      acts: sondeActs(sonde),
    })),
    ...(data.crews?.crews ?? []).map(crew => ({
      kind: 'crew',
      name: crew.callsign,
      place: crew,
      facts: () => crewFacts(crew),
      acts: [],
    })),
    ...(isPlaced
      ? [
          {
            kind: 'recovery',
            name: serial,
            place: { latitude, longitude },
            facts: () => recoveryFacts(report),
            acts: [],
          },
        ]
      : []),
    ...launches.flatMap(launch =>
      launch.landing
        ? [
            {
              kind: 'launch',
              name: launch.name ?? launch.site,
              place: launch.landing,
              facts: () => launchFacts(launch),
              acts: [],
            },
          ]
        : [],
    ),
  ];
}

let shown = '';

/**
 * Draws the markers, and fans out those at one place. The main ones stay at theirs: the crew walks to it.
 * @param {object} on
 * @param {Leaflet.Map} on.map
 * @param {Leaflet.Layer} on.group
 * @param {boolean} on.isOn  Whether the layer is shown.
 * @param {Leaflet.LatLng[]} on.mains  Where the main markers are.
 * @param {(kind: string, at: Leaflet.LatLng, more: string[], acts: Other['acts']) => void} on.card
 */
export function drawOthers({ map, group, isOn, mains, card }) {
  const others = isOn ? found() : [];
  const key = JSON.stringify([
    isOn && [data.sondes, data.crews, data.recovery, data.launches],
    mains.map(String),
    map.getZoom(),
  ]);
  if (key === shown) return;
  shown = key;
  group.clearLayers();
  const all = [...mains, ...others.map(other => L.latLng(pair(other.place)))];
  const spots = all.map(place => map.project(place, map.getZoom()));
  const offsets = fan(spots, near, size, mains.length);
  others.forEach((other, i) => {
    const index = mains.length + i;
    const { x, y } = offsets[index];
    const place = all[index];
    const at = x || y ? map.unproject(spots[index].add(L.point(x, y)), map.getZoom()) : place;
    if (at !== place) line([place, at], { color: '--ink-3', weight: 2 }).addTo(group);
    const title = T.named({ name: T.names[other.kind], value: other.name });
    const act = () => card(other.kind, place, [other.name, other.facts()], other.acts);
    dot(at, other.kind, title, act).addTo(group);
  });
}

/** Draws the markers anew the next time. */
export function forgetOthers() {
  shown = '';
}
