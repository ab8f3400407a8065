/**
 * Checks circuit breakers: after five failures in a row a breaker opens, and half a minute later it lets one attempt
 * through.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Breakers } from '../../../workers/publish/breakers.ts';

const receiver = 'workspace_chat org_1 here';

function stage() {
  let now = 0;
  const breakers = new Breakers(() => now);
  const record = (outcome: 'answered' | 'failed' | 'neither') => breakers.record('workspace_chat', receiver, outcome);
  const fail = (times: number) => {
    for (let i = 0; i < times; i++) {
      assert.equal(breakers.take(receiver), 0);
      record('failed');
    }
  };
  return { breakers, record, fail, pass: (ms: number) => (now += ms) };
}

test('opens after five failures in a row, for this receiver only', () => {
  const { breakers, fail, record } = stage();
  fail(4);
  record('answered');
  fail(5);
  assert.equal(breakers.take(receiver), 30_000);
  assert.equal(breakers.take('workspace_chat org_1 there'), 0);
});

test('lets one attempt through, and closes when it succeeds', () => {
  const { breakers, fail, record, pass } = stage();
  fail(5);
  pass(30_000);
  assert.equal(breakers.take(receiver), 0);
  assert.ok(breakers.take(receiver) > 0, 'a second one waits for the first');
  record('answered');
  assert.equal(breakers.take(receiver), 0);
  assert.equal(breakers.take(receiver), 0);
});

test('opens again when that attempt fails too', () => {
  const { breakers, fail, record, pass } = stage();
  fail(5);
  pass(30_000);
  assert.equal(breakers.take(receiver), 0);
  record('failed');
  assert.equal(breakers.take(receiver), 30_000);
});

test('lets another attempt through when the first one sent nothing', () => {
  const { breakers, fail, record, pass } = stage();
  fail(5);
  pass(30_000);
  assert.equal(breakers.take(receiver), 0);
  record('neither');
  assert.equal(breakers.take(receiver), 0);
});
