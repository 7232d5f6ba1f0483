// The short message: one that was asked for on a screen goes with it.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './page.js';

const page = await load(['shared/dom.js']);

test('a message of a screen is hidden when the screen is left, any other stays', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const seen = (text, isOfScreen) => {
    page.toast(text, isOfScreen);
    page.leaveToast();
    return page.$('toast').hidden;
  };
  assert.deepEqual([seen('a status', true), seen('a landing'), seen('a status', true)], [true, false, true]);
  page.toast('a landing');
  t.mock.timers.tick(6000);
  assert.equal(page.$('toast').hidden, true);
});
