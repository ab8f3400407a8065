/**
 * Tests that the client has every operation of the API and depends on no package.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { operationsSource } from '../../sdk/generate.ts';
import { operations } from '../../sdk/operations.ts';
import { apiRoutes } from '../../src/api/routes.ts';
import { openApi } from '../helpers/contract.ts';

const sdk = fileURLToPath(new URL('../../../sdk/', import.meta.url));

test('the client has the operations of the OpenAPI document', () => {
  assert.equal(
    readFileSync(join(sdk, 'operations.ts'), 'utf8'),
    operationsSource(openApi),
    'generate the file again: see sdk/README.md',
  );
});

test('the client has a method for every endpoint', () => {
  const known = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
  for (const { method, path } of apiRoutes.filter(({ contract }) => !contract.streams)) {
    assert.ok(known.includes(`${method} ${path.replace(/:(\w+)/g, '{$1}')}` as (typeof known)[number]), path);
  }
});

test('the client needs no package', () => {
  for (const name of readdirSync(sdk).filter((each) => each.endsWith('.ts'))) {
    const text = readFileSync(join(sdk, name), 'utf8');
    for (const [, from = ''] of text.matchAll(/\bfrom '([^']+)'/g)) assert.match(from, /^(\.\/|node:)/, name);
  }
  const manifest = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'));
  assert.equal(manifest.dependencies, undefined);
});
