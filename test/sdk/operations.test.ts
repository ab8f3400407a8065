/**
 * The client knows the API as it is, and stands on its own.
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

test('operations of the client are those of the document', () => {
  assert.equal(
    readFileSync(join(sdk, 'operations.ts'), 'utf8'),
    operationsSource(openApi),
    'make it anew: see sdk/README.md',
  );
});

test('every endpoint has a method', () => {
  const known = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
  for (const { method, path } of apiRoutes) {
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
