// The phone's compass, where the browser gives it: only pages over HTTPS, and of this machine, get it.

/** The event's name: that of a compass, else that of iPhones, which add the compass to the other one. */
const kind = 'ondeviceorientationabsolute' in window ? 'deviceorientationabsolute' : 'deviceorientation';

/** Whether the browser may have a compass. */
export const hasCompass = () => window.isSecureContext && 'DeviceOrientationEvent' in window;

/**
 * The degrees from north to which the upper edge of the screen points; null without a compass.
 * @param {any} event
 * @param {number} turned  Degrees by which the screen's picture is turned.
 */
export function heading({ webkitCompassHeading: iPhones, alpha, absolute }, turned) {
  const device = iPhones ?? (absolute && alpha != null ? 360 - alpha : null);
  return device == null ? null : (device + turned + 720) % 360;
}

/**
 * Listens to the compass. Call it in a touch: iPhones ask the person then.
 * @param {(degrees: number) => void} tell
 * @returns {Promise<?(() => void)>}  Ends it; null if the person has said no.
 */
export async function useCompass(tell) {
  const { requestPermission } = /** @type {any} */ (window.DeviceOrientationEvent);
  const answer = await requestPermission?.call(window.DeviceOrientationEvent).catch(() => 'denied');
  if (answer && answer !== 'granted') return null;
  /** @param {any} event */
  const hear = event => {
    const degrees = heading(event, window.screen.orientation?.angle ?? 0);
    if (degrees != null) tell(degrees);
  };
  addEventListener(kind, hear);
  return () => removeEventListener(kind, hear);
}
