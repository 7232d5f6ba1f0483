// The languages have the same keys, with the same values put in, and short texts where the room is small.
import assert from 'node:assert/strict';
import test from 'node:test';
import { texts as boardsEnglish } from '../../deploy/page/board/languages/en.js';
import { texts as english } from '../../deploy/page/languages/en.js';
import { languageOf, languages, localeOf } from '../../deploy/page/shared/language.js';

/** Each text with its path, as "phases.landed". */
function* paths(value, path = '') {
  if (value !== null && typeof value === 'object') {
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
  'advices.guess': 18,
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
/** A function's sentence with a mark for each value. */
const filled = text => (typeof text === 'function' ? text(...Array(text.length).fill(mark)) : text);
const count = text => [...filled(text)].filter(sign => sign === mark).length;

for (const [what, folder, original] of [
  ['page', 'languages', english],
  ['board', 'board/languages', boardsEnglish],
]) {
  for (const name of languages.filter(one => one !== 'en')) {
    test(`the ${what} in ${name} has the English keys and values`, async () => {
      const { texts } = await import(`../../deploy/page/${folder}/${name}.js`);
      const keys = all => [...paths(all)].map(([path]) => path);
      assert.deepEqual(keys(texts).sort(), keys(original).sort());
      const others = Object.fromEntries(paths(texts));
      for (const [path, text] of paths(original)) {
        const other = others[path];
        assert.equal(typeof other, typeof text, path);
        assert.equal(other.length === 0, text.length === 0, path);
        assert.equal(count(other), count(text), path);
        // A sentence may be longer than the English one, but no story.
        const room = Math.max(24, filled(text).length * 1.9);
        assert.ok(filled(other).length <= room, `${path}: ${filled(other)}`);
      }
    });
  }
}

for (const name of languages) {
  test(`the short texts in ${name} are short`, async () => {
    const { texts } = await import(`../../deploy/page/languages/${name}.js`);
    const all = Object.fromEntries(paths(texts));
    for (const [path, most] of Object.entries(lengths)) {
      assert.ok([...all[path]].length <= most, `${path}: "${all[path]}"`);
    }
    for (const list of ['turns', 'winds', 'windsOf']) {
      assert.equal(texts[list].length, 8);
      assert.equal(new Set(texts[list]).size, 8, list);
      for (const one of texts[list]) assert.ok(one.length <= 18, one);
    }
  });
}

/** [chosen on the page, the browser's, the gateway's, the page's language] */
const choices = [
  [null, ['de-CH', 'en'], 'fr', 'de'],
  ['it', ['de-CH', 'en'], 'fr', 'it'],
  [null, ['rm', 'DE'], 'fr', 'de'],
  [null, ['pl', 'cs'], 'it', 'it'],
  [null, ['pl'], null, 'en'],
  [null, [], 'xx', 'en'],
  [null, undefined, undefined, 'en'],
  ['xx', ['fr-FR'], 'it', 'fr'],
  ['toString', ['__proto__'], 'constructor', 'en'],
];
for (const [chosen, browsers, gateways, expected] of choices) {
  test(`chosen ${chosen}, browser ${browsers}, gateway ${gateways}: ${expected}`, () => {
    assert.equal(languageOf(chosen, browsers, gateways), expected);
  });
}

test('times are written as the browser writes them, if it has the language', () => {
  assert.equal(localeOf('de', ['en-US', 'de-CH']), 'de-CH');
  assert.equal(localeOf('de', ['en-US']), 'de');
});
