/**
 * The version of this Tidings, as `package.json` has it.
 */
import { readFileSync } from 'node:fs';

/** Version of the service, its command line and its OpenAPI document. `package.json` lies two folders above the built file. */
export const version: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version;
