// The target in one file for a phone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { gpx, kml, page } from '../../deploy/page/drive/along.js';

const template = readFileSync(new URL('../../deploy/page/along.html', import.meta.url), 'utf8');
const along = {
  serial: 'V4210150',
  name: 'Landing point',
  place: { latitude: 46.8, longitude: 6.9 },
  radius: 2500,
  around: '± 2.5 km',
  track: [
    [1795314600000, 46.7, 6.8, 500],
    [1795314601000, 46.71, 6.81, null],
  ],
};

test('the GPX has the target before the track', () => {
  const text = gpx(along);
  assert.match(
    text,
    /<wpt lat="46.800000" lon="6.900000"><name>V4210150, Landing point, ± 2.5 km<\/name><\/wpt>\n<trk>/,
  );
  assert.match(
    text,
    /<trkpt lat="46.700000" lon="6.800000"><ele>500<\/ele><time>2026-11-22T02:30:00.000Z<\/time>/,
  );
  assert.match(text, /<trkpt lat="46.710000" lon="6.810000"><time>/);
  assert.ok(!gpx({ ...along, track: [] }).includes('<trk>'));
});

test('the KML has the target, its circle and the track', () => {
  const text = kml(along);
  assert.match(text, /<Point><coordinates>6.900000,46.800000<\/coordinates>/);
  assert.equal(text.match(/<Placemark>/g).length, 3);
  const ring = text.match(/<name>± 2.5 km<\/name><LineString><coordinates>([^<]*)/)[1].split(' ');
  assert.equal(ring.length, 37);
  assert.equal(ring[0], ring[36]);
  assert.ok(Math.abs((Number(ring[0].split(',')[1]) - 46.8) * 111195 - 2500) < 1);
  assert.equal(kml({ ...along, radius: null, around: '', track: [] }).match(/<Placemark>/g).length, 1);
});

test('names are escaped in each format', () => {
  const bad = { ...along, serial: '<b>&"', name: '</script><script>' };
  for (const text of [gpx(bad), kml(bad)]) assert.ok(!text.includes('<b>') && !text.includes('</script>'));
  const made = page(template, bad, 'en', {}, {});
  assert.equal(made.match(/<script/g).length, template.match(/<script/g).length);
  assert.equal(made.match(/<\/script>/g).length, template.match(/<\/script>/g).length);
});

test('the page is whole, small and needs no other file', () => {
  const track = Array.from({ length: 500 }, (_, i) => [1795314600000 + i, 46 + i / 1e4, 6, 500]);
  const made = page(
    template,
    { ...along, track },
    'de',
    { wait: 'Warte' },
    { far: [1000, 'km'], near: [1, 'm'] },
  );
  assert.ok(made.length < 60_000, `${made.length}`);
  assert.ok(!made.includes('{{') && made.includes('<html lang="de">') && made.includes('"wait":"Warte"'));
  assert.ok(!/<(link|img)|src=|@import|url\(/.test(made));
});
