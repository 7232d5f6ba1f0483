// The target in one file, for a phone without a network: as GPX, as KML, and as a page of its own with an arrow.

/**
 * @typedef {object} Along
 * @property {string} serial
 * @property {string} name  What the place is, in words.
 * @property {{latitude: number, longitude: number}} place
 * @property {number | null} radius  Within so many metres half of such landings lie; null if the place is seen.
 * @property {string} around  The radius in words; empty without one.
 * @property {Array<[number, number, number, number | null]>} track  As in `/api/flights/<serial>/track`.
 */

/** @param {string} text */
const xml = text => String(text).replace(/[<>&"']/g, c => `&#${c.charCodeAt(0)};`);
/** @param {number} d */
const fixed = d => d.toFixed(6);
/** @param {Along} along */
const title = along => [along.serial, along.name, along.around].filter(Boolean).join(', ');

/** @param {Along} along */
export function gpx(along) {
  const { latitude, longitude } = along.place;
  const points = along.track.map(
    ([time, lat, lon, metres]) =>
      `<trkpt lat="${fixed(lat)}" lon="${fixed(lon)}">${typeof metres === 'number' ? `<ele>${metres}</ele>` : ''}` +
      `<time>${new Date(time).toISOString()}</time></trkpt>`,
  );
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<gpx version="1.1" creator="sondygo2mqtt" xmlns="http://www.topografix.com/GPX/1/1">\n' +
    `<wpt lat="${fixed(latitude)}" lon="${fixed(longitude)}"><name>${xml(title(along))}</name></wpt>\n` +
    (points.length
      ? `<trk><name>${xml(along.serial)}</name><trkseg>\n${points.join('\n')}\n</trkseg></trk>\n`
      : '') +
    '</gpx>\n'
  );
}

/** @param {Along} along */
export function kml(along) {
  const { latitude, longitude } = along.place;
  const points = along.track.map(([, lat, lon, metres]) => `${fixed(lon)},${fixed(lat)},${metres ?? 0}`);
  /** @param {number} east  @param {number} north */
  const at = (east, north) => [
    longitude + east / 111195 / Math.cos((latitude * Math.PI) / 180),
    latitude + north / 111195,
  ];
  const radius = along.radius ?? 0;
  const ring = Array.from({ length: 37 }, (_, i) => {
    const angle = (i * Math.PI) / 18;
    return at(radius * Math.sin(angle), radius * Math.cos(angle))
      .map(fixed)
      .join();
  });
  /** @param {string} name  @param {string} shape */
  const mark = (name, shape) => `<Placemark><name>${xml(name)}</name>${shape}</Placemark>\n`;
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document>\n' +
    mark(title(along), `<Point><coordinates>${fixed(longitude)},${fixed(latitude)}</coordinates></Point>`) +
    (along.radius
      ? mark(along.around, `<LineString><coordinates>${ring.join(' ')}</coordinates></LineString>`)
      : '') +
    (points.length
      ? mark(
          along.serial,
          `<LineString><altitudeMode>absolute</altitudeMode><coordinates>${points.join(' ')}</coordinates></LineString>`,
        )
      : '') +
    '</Document></kml>\n'
  );
}

/**
 * @param {string} template  `along.html`.
 * @param {Along} along
 * @param {string} lang
 * @param {object} texts  The words of the page.
 * @param {object} unit  `far` and `near`: metres of a unit, and its name.
 */
export function page(template, along, lang, texts, unit) {
  const data = {
    target: [along.place.latitude, along.place.longitude],
    radius: along.radius,
    track: along.track.map(([, lat, lon]) => [Number(lat.toFixed(5)), Number(lon.toFixed(5))]),
    texts: { ...texts, name: along.name },
    unit,
  };
  /** @type {Record<string, string>} */
  const values = { lang, title: xml(title(along)), data: JSON.stringify(data).replace(/</g, '\\u003c') };
  return template.replace(/\{\{(lang|title|data)\}\}/g, (_, key) => values[key]);
}
