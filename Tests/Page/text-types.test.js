// The types of the page's texts, made of the English file.
import assert from 'node:assert/strict';
import test from 'node:test';
import { textsOf } from '../../deploy/page/shared/language-file.js';
import { declarations, typeOf } from './text-types.js';

const file = `plural = english
decimal = .
page.wait = Wait
page.heads = Car | Sonde
page.away = {distance} away
page.near = {distance} {wind} of {name}
page.states.landed = landed
page.why.more = {n} more
`;

/** [a key, the type of its text] */
const table = [
  ['wait', 'string'],
  ['heads', 'string[]'],
  ['away', '(values: unknown) => string'],
  ['near', '(values: { distance: unknown; name: unknown; wind: unknown; }) => string'],
  ['states', '{ "landed": string; [code: string]: string; }'],
  ['why', '{ "more": (values: unknown) => string; [code: string]: any; }'],
];

for (const [key, type] of table)
  test(`the type of "${key}"`, () => assert.equal(typeOf(textsOf(file, 'page')[key]), type));

test('page and board have their texts', () => {
  const types = declarations();
  assert.match(types, /interface Page \{.* "landingIn": string;/);
  assert.match(types, /interface Board \{.* "nobody": string;/);
});
