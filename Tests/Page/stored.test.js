// What the browser keeps, and what it refuses to keep.
import assert from 'node:assert/strict';
import test from 'node:test';
import { shelf } from '../../deploy/page/shared/stored.js';

/** A browser's storage; `fault` names the calls that throw. */
function storage(...fault) {
  const kept = new Map();
  const guarded = (name, act) => (fault.includes(name) ? assert.fail(name) : act);
  return () => ({
    getItem: key => guarded('read', () => kept.get(key) ?? null)(),
    setItem: (key, value) => guarded('keep', () => kept.set(key, value))(),
    removeItem: key => guarded('drop', () => kept.delete(key))(),
  });
}

/** [the browser, its storage] */
const browsers = [
  ['keeps all', storage()],
  ['is full', storage('keep')],
  ['refuses all', storage('read', 'keep', 'drop')],
  ['has none', () => null],
  [
    'throws',
    () => {
      throw new Error('SecurityError');
    },
  ],
];

for (const [name, made] of browsers) {
  test(`a browser that ${name} remembers until the page is closed`, () => {
    const { read, keep, drop } = shelf(made);
    assert.equal(read('night'), undefined);
    keep('night', 'on');
    assert.equal(read('night'), 'on');
    keep('night', 'off');
    assert.equal(read('night'), 'off');
    drop('night');
    assert.equal(read('night'), undefined);
  });
}

test('what another page changed is read', () => {
  const kept = storage();
  const one = shelf(kept);
  one.keep('units', 'metric');
  shelf(kept).keep('units', 'imperial');
  assert.equal(one.read('units'), 'imperial');
});
