/**
 * Tests error bodies: they have exactly the keys of the spec, and the message of an unexpected error never reaches a
 * client.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorKinds, invalid, notFound, ServiceError, toServiceError } from '../../../src/foundation/errors.ts';

test('an error body has no other keys than the four of the spec (spec 7)', () => {
  const full = new ServiceError('rateLimited', 'Wait.', { details: { field: 'why' }, retryAfter: 3 });
  assert.deepEqual(full.toBody(), {
    error: 'Rate limit exceeded',
    message: 'Wait.',
    details: { field: 'why' },
    retryAfter: 3,
  });
  assert.deepEqual(Object.keys(new ServiceError('conflict', 'Taken.').toBody()), ['error', 'message']);
});

test('errors have the types of the spec (spec 7)', () => {
  assert.equal(errorKinds.unauthorized.error, 'Unauthorized');
  assert.equal(errorKinds.notFound.error, 'Not found');
  assert.equal(errorKinds.rateLimited.error, 'Rate limit exceeded');
});

test('an invalid request names every field', () => {
  const error = invalid({ limit: 'expected 1', offset: 'expected 0' });
  assert.equal(error.status, 400);
  assert.match(error.message, /limit: expected 1; offset: expected 0/);
});

test('the error for a missing resource names it (spec 7.2)', () => {
  const { status, message } = notFound('Draft', 'draft_"x');
  assert.equal(status, 404);
  assert.equal(message, 'Draft "draft_\\"x" is not found or not accessible.');
});

test('the error of a defect shows the client nothing of it', () => {
  const defects = [new TypeError('secret path /home'), 'text', undefined, null, { kind: 'invalid', status: 400 }];
  for (const defect of defects) {
    const body = toServiceError(defect).toBody();
    assert.equal(body.error, 'Server error');
    assert.doesNotMatch(JSON.stringify(body), /secret|home|text|kind/);
  }
});
