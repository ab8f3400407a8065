/**
 * Tests the functions in `src/channels` that read users' texts. Each function must take time in proportion to the
 * length of its text.
 */
import { test } from 'node:test';
import { assertProportion } from '../../helpers/growth/assert.ts';

test('hostile texts take time in proportion to their length', () => {
  assertProportion('channels');
});
