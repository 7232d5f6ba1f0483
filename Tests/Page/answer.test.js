// The sentences that tell the gateway's answers to commands.
import assert from 'node:assert/strict';
import test from 'node:test';
import { sentence } from '../../deploy/page/shared/answer.js';
import { texts } from './texts.js';

const [english, german] = ['en', 'de'].map(name => texts(name, 'page'));

const kept = { code: 'not_stored', message: 'it holds now, but a restart may lose it' };
const busy = { code: 'busy', message: 'too many commands wait' };
const newer = { code: 'of_a_newer_gateway', message: 'the moon is in the way' };

/** [answer, English, German] */
const table = [
  [{ status: 'confirmed' }, 'Done: Name', 'Erledigt: Name'],
  [{ status: 'timed_out' }, english.timedOut, german.timedOut],
  [{ status: 'rejected', error: busy }, `Refused: ${busy.message}`, german.refused(german.refusals.busy)],
  [{ status: 'rejected', error: newer }, `Refused: ${newer.message}`, german.refused(newer.message)],
  // It is done, whatever else the answer says.
  [
    { status: 'failed', error: kept },
    `Done: Name – ${kept.message}`,
    `${german.done('Name')} – ${german.refusals.not_stored}`,
  ],
];

test('an answer is told as what it is, in the language of the page', () => {
  for (const [answer, inEnglish, inGerman] of table) {
    assert.equal(sentence(answer, 'Name', english, 'en'), inEnglish);
    assert.equal(sentence(answer, 'Name', german, 'de'), inGerman);
  }
});
