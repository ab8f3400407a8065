/**
 * Time of the functions in `src/api` that read text of users: in proportion to its length, whatever it is.
 */
import { test } from 'node:test';
import { assertProportion } from '../../helpers/growth/assert.ts';

test('hostile texts take time in proportion to their length', () => {
  assertProportion('api');
});
