// The base map's files: the real ones are read, and the boxes have what a crew looks for.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { gunzipSync } from 'node:zlib';
import { boxName, corners } from '../../deploy/page/map/boxes.js';
import { decode, kinds, mercator } from '../../deploy/page/map/outlines.js';

const folder = new URL('../../deploy/page/base/', import.meta.url);
const read = (name, corner) => decode(gunzipSync(readFileSync(new URL(name, folder))), corner);
const west = { west: 5, south: 45 };

/** Whether a place is inside an odd number of outlines. */
function isWet({ origin, outlines }, latitude, longitude) {
  const x = (longitude + 180) / 360 - origin[0];
  const y = mercator(latitude) - origin[1];
  let isInside = false;
  for (const { points } of outlines[kinds.water]) {
    for (let k = 0; k < points.length; k += 2) {
      const [x0, y0] = [points[k], points[k + 1]];
      const next = (k + 2) % points.length;
      const [x1, y1] = [points[next], points[next + 1]];
      if (y0 > y !== y1 > y && x < x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)) isInside = !isInside;
    }
  }
  return isInside;
}

test('three lakes and some fifty places are within 30 by 28 kilometres', () => {
  const box = read('boxes/N45E005.bin.gz', west);
  // Neuchâtel, Murten and Biel; Bern and Lyon are dry.
  for (const [latitude, longitude] of [
    [46.9, 6.85],
    [46.93, 7.085],
    [47.08, 7.17],
  ]) {
    assert.ok(isWet(box, latitude, longitude), `${latitude}, ${longitude}`);
  }
  for (const [latitude, longitude] of [
    [46.95, 7.44],
    [45.76, 4.84 + 0.3],
  ]) {
    assert.ok(!isWet(box, latitude, longitude), `${latitude}, ${longitude}`);
  }
  const near = box.places.filter(
    place => Math.abs(place.latitude - 47) < 0.126 && Math.abs(place.longitude - 7.1) < 0.198,
  );
  assert.ok(near.length >= 45, `${near.length}`);
  assert.ok(near.every(place => place.people >= 500));
  assert.ok(box.outlines[kinds.river].length > 10);
  assert.ok(box.outlines[kinds.border].length > 5);
});

test('every file is named in the list, is read to its end and holds the largest places first', () => {
  const files = readdirSync(new URL('boxes/', folder)).sort();
  const listed = JSON.parse(readFileSync(new URL('boxes.json', folder), 'utf8'));
  assert.deepEqual(files, listed.map(name => `${name}.bin.gz`).sort());
  const all = corners(-180, -60, 180, 90);
  for (const corner of all.filter(({ west, south }) => listed.includes(boxName(west, south)))) {
    const { places, outlines } = read(`boxes/${boxName(corner.west, corner.south)}.bin.gz`, corner);
    places.forEach((place, i) => {
      assert.ok(i === 0 || place.people <= places[i - 1].people, place.name);
      assert.ok(place.latitude >= corner.south && place.latitude <= corner.south + 5, place.name);
      assert.ok(place.longitude >= corner.west && place.longitude <= corner.west + 5, place.name);
    });
    assert.deepEqual(Object.keys(outlines).map(Number), [
      kinds.water,
      kinds.border,
      kinds.river,
      kinds.brook,
    ]);
  }
});

test('the world has coasts and large towns', () => {
  const world = read('world.bin.gz', null);
  assert.ok(world.outlines[kinds.land].length > 1000);
  assert.ok(world.places.every(place => place.people >= 100000));
  const bern = world.places.find(place => place.name === 'Zürich');
  assert.ok(Math.abs((bern?.latitude ?? 0) - 47.37) < 0.02 && Math.abs((bern?.longitude ?? 0) - 8.55) < 0.02);
});

/** [west, south, east, north, the boxes] */
const views = [
  [6.5, 46.5, 7.5, 47.5, ['N45E005']],
  [4, 44, 6, 46, ['N40E000', 'N40E005', 'N45E000', 'N45E005']],
  [-1, -1, 1, 1, ['S05W005', 'S05E000', 'N00W005', 'N00E000']],
  [179, 60, 182, 61, ['N60E175', 'N60W180']],
];

for (const [left, bottom, right, top, names] of views) {
  test(`boxes of ${left}, ${bottom} to ${right}, ${top}`, () => {
    const found = corners(left, bottom, right, top).map(({ west, south }) => boxName(west, south));
    assert.deepEqual(found, names);
  });
}
