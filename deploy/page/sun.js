// The sun's height, exact to a degree.
const r = Math.PI / 180;
export function sunHeight(ms, latitude, longitude) {
	const d = ms / 86400000 - 10957.5, mean = (357.529 + .98560028 * d) * r;
	const lon = (280.459 + .98564736 * d + 1.915 * Math.sin(mean) + .02 * Math.sin(2 * mean)) * r, tilt = 23.439 * r;
	const declination = Math.asin(Math.sin(tilt) * Math.sin(lon)), right = Math.atan2(Math.cos(tilt) * Math.sin(lon), Math.cos(lon));
	const hour = (280.46062 + 360.98564737 * d + longitude) * r - right;
	return Math.asin(Math.sin(latitude * r) * Math.sin(declination) + Math.cos(latitude * r) * Math.cos(declination) * Math.cos(hour)) / r;
}
