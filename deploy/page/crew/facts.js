// What others report, in words, for the crew's screen and the map.
import { whenText } from '../drive/words.js';
import { send, tune } from '../shared/command.js';
import { isTuned } from '../shared/radio.js';
import { hasReceiver, mayCommand, radio, since } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import { townOf } from '../shared/towns.js';
import * as u from '../shared/units.js';

/** @param {{distance_m?: ?number, bearing_deg?: ?number}} one */
const away = one =>
  u.known(one.distance_m) &&
  u.joined(
    u.text(u.distance(one.distance_m)),
    u.known(one.bearing_deg) && T.winds[u.octant(one.bearing_deg)],
  );

/**
 * The age now of an entry of a report: milliseconds, or null.
 * @param {{age_ms?: ?number}} entry
 * @param {string} kind
 */
export const ageNow = (entry, kind) => (u.known(entry.age_ms) ? entry.age_ms + since(kind) : null);

/** @param {{age_ms?: ?number}} entry  @param {string} kind */
const ageText = (entry, kind) => u.known(entry.age_ms) && T.old(u.span(ageNow(entry, kind) ?? 0));

/**
 * Where something is expected to come down, in words; nothing far from any town.
 * @param {Placed & {radius_m?: number}} landing
 */
function landsAt(landing) {
  const town = townOf(landing, landing.radius_m);
  return town && T.named({ name: T.names.landing, value: town });
}

/**
 * A sonde around: type, frequency, what it does, where, how old.
 * @param {Report.Sonde} sonde
 */
export const sondeFacts = sonde =>
  u.joined(
    sonde.sonde_type,
    u.known(sonde.frequency_mhz) && `${u.mhz(sonde.frequency_mhz)} MHz`,
    T.phases[sonde.phase],
    u.text(u.height(sonde.altitude_m)),
    away(sonde),
    sonde.landing && sonde.phase !== 'landed' ? landsAt(sonde.landing) : townOf(sonde),
    ageText(sonde, 'sondes'),
    T.recoveries[sonde.recovery ?? ''],
  );

/**
 * The actions that a sonde around offers.
 * @param {{serial?: ?string, sonde_type?: ?string, frequency_mhz?: ?number, hunted: boolean}} sonde
 * @returns {Array<[string, () => void]>}
 */
export function sondeActs(sonde) {
  /** @type {Array<[string, () => void]>} */
  const acts = [];
  if (!mayCommand()) return acts;
  const { serial, frequency_mhz: frequency } = sonde;
  if (serial && !sonde.hunted) acts.push([T.hunt, () => send({ hunt: serial }, T.serial, serial)]);
  if (hasReceiver() && u.known(frequency) && !isTuned(radio(), frequency)) {
    acts.push([T.tune, () => tune(frequency, sonde.sonde_type)]);
  }
  return acts;
}

/** @param {Report.Crew} crew */
export function crewFacts(crew) {
  const distance = u.known(crew.distance_to_landing_m) && u.text(u.distance(crew.distance_to_landing_m));
  return u.joined(distance && `${distance} ${T.fromLanding}`, townOf(crew), ageText(crew, 'crews'));
}

/** @param {Report.Launch} launch */
export const launchFacts = launch =>
  u.joined(
    whenText(launch.launch_at),
    launch.landing &&
      T.named({
        name: T.names.landing,
        value: u.joined(
          townOf(launch.landing, launch.landing.radius_m) ?? u.place(launch.landing),
          away(launch),
        ),
      }),
    u.known(launch.drive_s) && T.drives(u.span(launch.drive_s * 1000)),
  );

/** @param {Partial<Report.Recovery>} report */
export const recoveryFacts = report =>
  u.joined(
    T.recoveries[report.state ?? ''],
    report.by,
    report.note,
    townOf(report),
    whenText(report.time),
    report.queued && T.queued,
  );
