// The sun's height.
const radian = Math.PI / 180;

/**
 * The sun's height above the horizon in degrees, exact to one degree.
 * @param {number} ms  Milliseconds since 1970.
 * @param {number} latitude
 * @param {number} longitude
 */
export function sunHeight(ms, latitude, longitude) {
  const days = ms / 86400000 - 10957.5;
  const anomaly = (357.529 + 0.98560028 * days) * radian;
  const mean = 280.459 + 0.98564736 * days;
  const ecliptic = (mean + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * radian;
  const tilt = 23.439 * radian;
  const declination = Math.asin(Math.sin(tilt) * Math.sin(ecliptic));
  const ascension = Math.atan2(Math.cos(tilt) * Math.sin(ecliptic), Math.cos(ecliptic));
  const hour = (280.46062 + 360.98564737 * days + longitude) * radian - ascension;
  const up = Math.sin(latitude * radian) * Math.sin(declination);
  const across = Math.cos(latitude * radian) * Math.cos(declination) * Math.cos(hour);
  return Math.asin(up + across) / radian;
}
