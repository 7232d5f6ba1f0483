// GeoJSON files become shapes with their latitude first.
import assert from 'node:assert/strict';
import test from 'node:test';
import { ofGeoJSON } from '../../deploy/page/map/geometry.js';

const square = [
  [7, 47],
  [8, 47],
  [8, 48],
  [7, 47],
];
const feature = (geometry, name) => ({ type: 'Feature', properties: name ? { name } : null, geometry });

/** [name, the file's content, kind, name and number of places of each shape] */
const table = [
  ['a bare point', { type: 'Point', coordinates: [7, 47, 500] }, [['point', '', 1]]],
  ['a named line', feature({ type: 'LineString', coordinates: square }, 'Fence'), [['line', 'Fence', 4]]],
  [
    'a collection',
    {
      type: 'FeatureCollection',
      features: [
        feature({ type: 'Polygon', coordinates: [square, square] }, 'No go'),
        feature({ type: 'MultiPoint', coordinates: square.slice(0, 2) }),
        feature(null),
        feature({ type: 'MultiPolygon', coordinates: [[square], [square]] }),
        feature({
          type: 'GeometryCollection',
          geometries: [{ type: 'MultiLineString', coordinates: [square] }],
        }),
      ],
    },
    [
      ['area', 'No go', 4],
      ['point', '', 1],
      ['point', '', 1],
      ['area', '', 4],
      ['area', '', 4],
      ['line', '', 4],
    ],
  ],
  ['places that are none', { type: 'LineString', coordinates: [['x', 47], [7], [7, 47]] }, [['line', '', 1]]],
  ['another type', { type: 'Topology' }, []],
];

for (const [name, content, shapes] of table) {
  test(`drawings: ${name}`, () => {
    const found = ofGeoJSON(JSON.stringify(content));
    assert.deepEqual(
      found.map(({ kind, name, places }) => [kind, name, places.length]),
      shapes,
    );
    for (const { places } of found) for (const [latitude] of places) assert.ok(latitude >= 47);
  });
}
