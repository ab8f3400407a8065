/**
 * Tests that the functions in `src/api` that read texts of users take time in proportion to the length of the text.
 */
import { test } from 'node:test';
import { assertProportion } from '../../helpers/growth/assert.ts';

test('hostile texts take time in proportion to their length', () => {
  assertProportion('api');
});
