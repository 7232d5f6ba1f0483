// What others report, in words, for the crew's screen and the map.
import { whenText } from '../drive/words.js';
import { send, tune } from '../shared/command.js';
import { mayCommand } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';

const away = one =>
  u.known(one.distance_m) &&
  u.joined(
    u.text(u.distance(one.distance_m)),
    u.known(one.bearing_deg) && T.winds[u.octant(one.bearing_deg)],
  );

const later = seconds => u.known(seconds) && T.inTime(u.span(seconds * 1000));

/** A sonde around: type, frequency, what it does, where, how old. */
export const sondeFacts = sonde =>
  u.joined(
    sonde.sonde_type,
    u.known(sonde.frequency_mhz) && `${u.mhz(sonde.frequency_mhz)} MHz`,
    T.phases[sonde.phase],
    u.text(u.height(sonde.altitude_m)),
    away(sonde),
    u.known(sonde.age_ms) && T.old(u.span(sonde.age_ms)),
    T.recoveries[sonde.recovery],
  );

/** What may be done with it.  @returns {Array<[string, () => void]>} */
export function sondeActs(sonde) {
  /** @type {Array<[string, () => void]>} */
  const acts = [];
  if (!mayCommand()) return acts;
  if (!sonde.hunted) acts.push([T.hunt, () => send({ hunt: sonde.serial }, T.serial, sonde.serial)]);
  if (u.known(sonde.frequency_mhz)) {
    acts.push([T.tune, () => tune(sonde.frequency_mhz, sonde.sonde_type)]);
  }
  return acts;
}

export function crewFacts(crew) {
  const distance = u.known(crew.distance_to_landing_m) && u.text(u.distance(crew.distance_to_landing_m));
  const age = u.known(crew.age_ms) && T.old(u.span(crew.age_ms));
  return u.joined(distance && `${distance} ${T.fromLanding}`, age);
}

export const launchFacts = launch =>
  u.joined(
    whenText(launch.launch_at),
    launch.landing && `${T.names.landing} ${away(launch) || u.place(launch.landing)}`,
    later(launch.drive_s),
  );

export const recoveryFacts = report =>
  u.joined(
    T.recoveries[report.state],
    report.by,
    report.note,
    whenText(report.time),
    report.queued && T.queued,
  );
