// How bad a finding is. It reads nothing but its argument.

/** What is only not there, and what the gateway works without. */
const absent = new Set([
  'broker_silent',
  'broker_failed',
  'sondehub_silent',
  'gpsd_silent',
  'gpsd_no_fix',
  'gpsd_no_receiver',
  'clock_unset',
  'maps_away',
]);

/**
 * The icon of a finding that is not met: a fault's, or that of something absent.
 * @param {?string} code
 */
export const iconOf = code => (code && absent.has(code) ? 'silent' : 'bad');
