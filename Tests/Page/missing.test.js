// What is merely absent has no sign of a fault.
import assert from 'node:assert/strict';
import test from 'node:test';
import { iconOf } from '../../deploy/page/shared/missing.js';
import { texts } from './texts.js';

const codes = Object.keys(texts('en', 'page').diagnosis);

test('only a fault has the octagon', () => {
  const faults = codes.filter(code => iconOf(code) === 'bad');
  assert.deepEqual(faults, [
    'receiver_away',
    'receiver_bluetooth',
    'receiver_permission',
    'receiver_device',
    'receiver_file',
    'broker_refused',
    'broker_login',
    'gpsd_receiver_silent',
    'gpsd_unreadable',
    'gpsd_stands_still',
    'maps_file',
  ]);
  assert.equal(codes.length, faults.length + 8);
  assert.equal(iconOf(null), 'bad');
});
