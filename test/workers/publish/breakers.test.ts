/**
 * Breakers: five failures in a row open one, half a minute later one attempt finds out.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Breakers } from '../../../workers/publish/breakers.ts';

const receiver = 'workspace_chat org_1 here';

function stage() {
  let now = 0;
  const breakers = new Breakers(() => now);
  const tell = (outcome: 'answered' | 'failed' | 'neither') => breakers.tell('workspace_chat', receiver, outcome);
  const fail = (times: number) => {
    for (let i = 0; i < times; i++) {
      assert.equal(breakers.take(receiver), 0);
      tell('failed');
    }
  };
  return { breakers, tell, fail, pass: (ms: number) => (now += ms) };
}

test('opens after five failures in a row, for this receiver alone', () => {
  const { breakers, fail, tell } = stage();
  fail(4);
  tell('answered');
  fail(5);
  assert.equal(breakers.take(receiver), 30_000);
  assert.equal(breakers.take('workspace_chat org_1 there'), 0);
});

test('lets one attempt find out, and closes when that is answered', () => {
  const { breakers, fail, tell, pass } = stage();
  fail(5);
  pass(30_000);
  assert.equal(breakers.take(receiver), 0);
  assert.ok(breakers.take(receiver) > 0, 'a second one waits for the first');
  tell('answered');
  assert.equal(breakers.take(receiver), 0);
  assert.equal(breakers.take(receiver), 0);
});

test('opens again when that one fails too', () => {
  const { breakers, fail, tell, pass } = stage();
  fail(5);
  pass(30_000);
  assert.equal(breakers.take(receiver), 0);
  tell('failed');
  assert.equal(breakers.take(receiver), 30_000);
});

test('lets another one find out when the first did not come to send', () => {
  const { breakers, fail, tell, pass } = stage();
  fail(5);
  pass(30_000);
  assert.equal(breakers.take(receiver), 0);
  tell('neither');
  assert.equal(breakers.take(receiver), 0);
});
