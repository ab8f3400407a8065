/**
 * Reads the version of Tidings from `package.json`.
 */
import { readFileSync } from 'node:fs';

/**
 * Version of the service, its command line and its OpenAPI document. The path leads from the folder of the built file
 * to `package.json`.
 */
export const version: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version;
