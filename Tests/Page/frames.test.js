// Work that may wait is spread over frames.
import assert from 'node:assert/strict';
import test from 'node:test';
import { inFrames } from '../../deploy/page/map/frames.js';

test('a frame does what fits into its share, the rest waits in order', t => {
  let time = 0;
  /** @type {Array<() => void>} */
  const frames = [];
  t.mock.method(performance, 'now', () => time);
  globalThis.requestAnimationFrame = act => frames.push(() => act(0));
  /** @type {number[]} */
  const done = [];
  for (const one of [1, 2, 3, 4, 5])
    inFrames(() => {
      // One alone takes longer than the share.
      time += one === 4 ? 30 : 3;
      done.push(one);
    });
  assert.deepEqual(done, []);
  const next = () => {
    frames.shift()?.();
    return done.splice(0);
  };
  assert.deepEqual([next(), next(), next()], [[1, 2], [3, 4], [5]]);
  assert.equal(frames.length, 0);
  inFrames(() => done.push(6));
  assert.deepEqual(next(), [6]);
});
