// The languages have the same keys, with the same values put in, and short texts where the room is small.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { languageOf, localeOf } from '../../deploy/page/shared/language.js';
import { textsOf } from '../../deploy/page/shared/language-file.js';
import { files, texts } from './texts.js';

/** Each text with its path, as "phases.landed". */
function* paths(value, path = '') {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    for (const key of Object.keys(value)) yield* paths(value[key], path ? `${path}.${key}` : key);
  } else yield [path, value];
}

/** What must be short, and the most characters. A button of the map has room for nine at 390 px. */
const lengths = {
  drive: 10,
  map: 10,
  crew: 10,
  receiver: 10,
  'follows.fit': 9,
  'follows.heading': 9,
  'follows.sonde': 9,
  'follows.landing': 9,
  'follows.free': 9,
  layers: 9,
  night: 9,
  sound: 10,
  more: 9,
  take: 14,
  early: 16,
  late: 16,
  atBest: 12,
  'advices.noCar': 22,
  'advices.landed': 12,
  probablyLanded: 22,
  'advices.silent': 22,
  'advices.look': 20,
  'advices.noPoint': 22,
  'advices.wait': 12,
  'advices.area': 24,
  'advices.go': 12,
  tune: 11,
  toLanding: 18,
  toSonde: 18,
  landingIn: 18,
  overdue: 18,
  margin: 18,
  vertical: 18,
  altitude: 18,
  bearing: 18,
  closing: 18,
  height: 18,
};

const mark = '\u{e000}';
/** The values of a sentence, the number of a list's words, or nothing. */
const shape = text => text.names ?? (Array.isArray(text) ? text.length : null);
/** A sentence with a mark for each value. */
const filled = text =>
  typeof text === 'function'
    ? text(Object.fromEntries(text.names.map(name => [name, mark])))
    : [text].flat().join(' ');

for (const group of ['page', 'board']) {
  for (const name of files.filter(one => one !== 'en')) {
    test(`the ${group} in ${name} has the English keys and values`, () => {
      const ours = Object.fromEntries(paths(texts(name, group)));
      const original = Object.fromEntries(paths(texts('en', group)));
      assert.deepEqual(Object.keys(ours).sort(), Object.keys(original).sort());
      for (const [path, text] of Object.entries(original)) {
        const other = ours[path];
        assert.deepEqual(shape(other), shape(text), path);
        assert.equal(other.length === 0, text.length === 0, path);
        // A sentence may be longer than the English one, but no story.
        const room = Math.max(24, filled(text).length * 1.9);
        assert.ok(filled(other).length <= room, `${path}: ${filled(other)}`);
      }
    });
  }
}

/** Each file of the page's code with its content. */
const code = readdirSync(new URL('../../deploy/page/', import.meta.url), { recursive: true })
  .filter(name => name.endsWith('.js'))
  .map(name => [name, readFileSync(new URL(`../../deploy/page/${name}`, import.meta.url), 'utf8')]);

for (const [sign, group] of [
  ['T', 'page'],
  ['B', 'board'],
]) {
  test(`the ${group}'s code uses texts that exist`, () => {
    let count = 0;
    for (const [name, content] of code) {
      for (const [, path] of content.matchAll(
        new RegExp(`\\b${sign}\\.([a-zA-Z_]+(?:\\.[a-zA-Z_]+)*)`, 'g'),
      )) {
        const text = path.split('.').reduce((place, word) => place?.[word], texts('en', group));
        assert.notEqual(text, undefined, `${name}: ${sign}.${path}`);
        count += 1;
      }
    }
    assert.ok(count > 20, `${count} places`);
  });

  test(`the ${group}'s code gives each text its values`, () => {
    for (const [name, content] of code) {
      const calls = content.matchAll(new RegExp(`\\b${sign}\\.([a-zA-Z]+)\\((\\{)?([^;]*)`, 'g'));
      for (const [, key, brace, values] of calls) {
        const { names } = texts('en', group)[key];
        assert.ok(names.length === 1 || brace, `${name}: ${sign}.${key} takes ${names}`);
        for (const one of brace ? names : []) {
          assert.match(values, new RegExp(`\\b${one}\\b`), `${name}: ${sign}.${key} has no ${one}`);
        }
      }
    }
  });
}

test('a language file is read', () => {
  const file = [
    '# page.no = no',
    'decimal = ,',
    'page.a = b',
    'page.c.d = {x}~: {y} {x}',
    'page.once = {t} ago',
    'page.list = a | b',
    'page.empty =',
    'page.wait = {n} wiadomości',
    'page.wait.one = {n} wiadomość',
    'page.wait.few = {n} wiadomości tu',
    'plural = polish',
    'board.a = c',
    'page without a sign',
  ].join('\n');
  const read = textsOf(file, 'page');
  assert.deepEqual(Object.keys(read), ['decimal', 'a', 'c', 'once', 'list', 'empty', 'wait']);
  assert.deepEqual([read.decimal, read.a, read.list, read.empty], [',', 'b', ['a', 'b'], '']);
  assert.equal(read.c.d({ x: '{y}', y: 2 }), '{y}\u00a0: 2 {y}');
  assert.deepEqual(read.c.d.names, ['x', 'y']);
  assert.equal(read.once('5 min'), '5 min ago');
  assert.equal(read.once({ t: 0 }), '0 ago');
  assert.deepEqual([1, 3, 5].map(read.wait), ['1 wiadomość', '3 wiadomości tu', '5 wiadomości']);
  assert.deepEqual(textsOf(file, 'board'), { decimal: ',', a: 'c' });
});

for (const name of files) {
  test(`the short texts in ${name} are short`, () => {
    const page = texts(name, 'page');
    const all = Object.fromEntries(paths(page));
    for (const [path, most] of Object.entries(lengths)) {
      assert.ok([...all[path]].length <= most, `${path}: "${all[path]}"`);
    }
    for (const list of ['turns', 'winds', 'windsOf']) {
      assert.equal(page[list].length, 8);
      assert.equal(new Set(page[list]).size, 8, list);
      for (const one of page[list]) assert.ok(one.length <= 18, one);
    }
  });
}

/** [chosen on the page, the browser's, the gateway's, the page's language] */
const choices = [
  [null, ['de-CH', 'en'], 'fr', 'de'],
  ['it', ['de-CH', 'en'], 'fr', 'it'],
  [null, ['rm', 'DE'], 'fr', 'de'],
  [null, ['nl', 'cs'], 'it', 'it'],
  [null, ['nl'], null, 'en'],
  [null, [], 'xx', 'en'],
  [null, undefined, undefined, 'en'],
  ['xx', ['fr-FR'], 'it', 'fr'],
  ['toString', ['__proto__'], 'constructor', 'en'],
];
for (const [chosen, browsers, gateways, expected] of choices) {
  test(`chosen ${chosen}, browser ${browsers}, gateway ${gateways}: ${expected}`, () => {
    assert.equal(languageOf(chosen, browsers, gateways, files), expected);
  });
}

test('times are written as the browser writes them, if it has the language', () => {
  assert.equal(localeOf('de', ['en-US', 'de-CH']), 'de-CH');
  assert.equal(localeOf('de', ['en-US']), 'de');
});

test('Italian says tu to a crew, as in speech and in setup', () => {
  const plural =
    /\b(voi|vostr[aeio]|siete|fate|arrivate|(and|aspett|cacci|cerc|continu|guard|indic|rest|torn)ate|(pot|prend|scriv|ten)ete)\b/i;
  for (const group of ['page', 'board', 'setup', 'setup_page']) {
    for (const [path, text] of paths(texts('it', group))) {
      assert.doesNotMatch([text].flat().join(' '), plural, path);
    }
  }
});
