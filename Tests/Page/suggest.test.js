// What a first visit offers before a person has chosen an answer.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suggested } from '../../deploy/page/setup/suggest.js';

const choices = [
  { value: 'en', title: 'English' },
  { value: 'es', title: 'Español' },
];
const question = { name: 'language', present: 'en', fixed: false, choices };

/** [name, the question, the reader's language, whether it is the first visit, the answer] */
const table = [
  ["the reader's language", question, 'es', true, 'es'],
  ['the present one, if the reader has it', question, 'en', true, undefined],
  ['what somebody has chosen stays', question, 'es', false, undefined],
  ['so does what the configuration sets', { ...question, fixed: true }, 'es', true, undefined],
  ['a language that is none of them', question, 'nl', true, undefined],
  ['another question', { ...question, name: 'site' }, 'es', true, undefined],
];

for (const [name, asked, language, isFirst, value] of table) {
  test(`suggested: ${name}`, () => assert.equal(suggested(asked, language, isFirst)?.value, value));
}
