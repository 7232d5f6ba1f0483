// The types of the reports, made of their schemas.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declarations, schemas, typeOf } from './reports.js';

const place = { type: 'object', properties: { latitude: { type: 'number' } }, required: ['latitude'] };

const table = [
  [{ type: 'integer' }, 'number'],
  [{ type: ['number', 'null'] }, 'number | null'],
  [{ type: ['number', 'integer'] }, 'number'],
  [{ enum: ['ble', null] }, '"ble" | null'],
  [{ const: 'Feature' }, '"Feature"'],
  [{ type: 'array', items: { type: 'string' } }, 'Array<string>'],
  [{ type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 }, '[number, number]'],
  [{ type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }] }, '[number, string]'],
  [place, '{ latitude: number; }'],
  [{ ...place, type: ['object', 'null'], required: [] }, '{ latitude?: number; } | null'],
  [{ anyOf: [{ type: 'object', maxProperties: 0 }, place] }, '{ latitude: number; }'],
  [{ oneOf: [{ type: 'null' }, place] }, 'null | { latitude: number; }'],
  [
    { ...place, required: [], oneOf: [{ maxProperties: 0 }, { required: ['latitude'] }] },
    '{ latitude: number; }',
  ],
  [{ type: 'object', additionalProperties: { type: 'integer' } }, 'Record<string, number>'],
];

for (const [schema, type] of table)
  test(`the type of ${JSON.stringify(schema)}`, () => assert.equal(typeOf(schema), type));

test('a word that no type is known for is refused', () => {
  assert.throws(() => typeOf({ type: 'date' }), /date/);
  assert.throws(() => typeOf({ $ref: '#/elsewhere' }), /ref/);
});

test('each report has its type, and those that may be empty say so', () => {
  const all = schemas();
  const text = declarations(all);
  for (const kind of ['landing', 'command_response', 'state']) assert.ok(kind in all, kind);
  assert.match(text, /type CommandResponse = \{/);
  assert.match(text, /interface Kinds \{[^}]* command_response: CommandResponse;/);
  assert.match(text, /type Optional = [^;]*"landing"/);
  assert.match(text, /type Optional = [^;]*"horizon"/);
  assert.doesNotMatch(text, /type Optional = [^;]*"state"/);
  assert.doesNotMatch(text, /undefined/);
});
