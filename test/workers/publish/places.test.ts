/**
 * Checks the limits of concurrent publications: one per channel of a repository, two per receiver, and six per channel.
 * No channel delays another channel.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Places } from '../../../workers/publish/places.ts';

const to = (repoId: string, channel: string, receiver: string) => ({ repoId, channel, receiver });

test('a channel of a repository takes one publication at a time', () => {
  const places = new Places();
  assert.ok(places.take(to('r1', 'email', 'a')));
  assert.ok(!places.take(to('r1', 'email', 'b')));
  assert.ok(places.take(to('r1', 'hosted', 'a')));
  places.free(to('r1', 'email', 'a'));
  assert.ok(places.take(to('r1', 'email', 'b')));
});

test('a receiver that hangs takes few places of its channel', () => {
  const places = new Places();
  const hanging = Array.from({ length: 20 }, (_, at) => places.take(to(`r${at}`, 'email', 'hangs')));
  assert.equal(hanging.filter(Boolean).length, 2);
  assert.ok(places.take(to('r30', 'email', 'works')));
});

test('a channel that hangs takes no place of another channel', () => {
  const places = new Places();
  const hanging = Array.from({ length: 50 }, (_, at) => places.take(to(`r${at}`, 'email', `hangs ${at}`)));
  assert.equal(hanging.filter(Boolean).length, 6);
  assert.ok(places.take(to('r1', 'office_chat', 'works')));
});

test('a refused publication takes no place', () => {
  const places = new Places();
  for (const repoId of ['r1', 'r2']) assert.ok(places.take(to(repoId, 'email', 'a')));
  assert.ok(!places.take(to('r3', 'email', 'a')));
  assert.ok(places.take(to('r3', 'email', 'b')));
  for (const repoId of ['r1', 'r2']) places.free(to(repoId, 'email', 'a'));
  for (const repoId of ['r4', 'r5']) assert.ok(places.take(to(repoId, 'email', 'a')));
});
