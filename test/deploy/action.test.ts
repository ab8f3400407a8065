/** Tests the action for CI: its inputs and outputs are used and documented, and it finds the release before a tag. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { action, actionFolder, stepOf } from '../helpers/action.ts';

const script = readFileSync(`${actionFolder}notes.mjs`, 'utf8');
const handbook = readFileSync(fileURLToPath(new URL('../../../docs/ci.md', import.meta.url)), 'utf8');
const { previousTag } = await import(new URL('../../../deploy/action/versions.mjs', import.meta.url).href);

test('every input reaches the script and is in the handbook', () => {
  const [step, ...others] = action.runs.steps;
  assert.deepEqual([action.runs.using, others.length, step?.shell], ['composite', 0, 'sh']);
  const given = Object.fromEntries(Object.keys(action.inputs).map((name) => [name, `value of ${name}`]));
  const { env } = stepOf(given);
  for (const [name, { description, required, default: usual }] of Object.entries(action.inputs)) {
    const variable = name.toUpperCase().replace('-', '_');
    assert.equal(env[`INPUT_${variable}`], `value of ${name}`);
    assert.ok(script.includes(`input('${variable}')`), `the script reads ${name}`);
    assert.ok(handbook.includes(`\n| \`${name}\` | `), `docs/ci.md has a row for ${name}`);
    assert.ok(description !== '' && (required === true) === (usual === undefined), name);
  }
  assert.equal(Object.keys(env).length, Object.keys(action.inputs).length + 1);
});

test('every output is set by the script and is in the handbook', () => {
  for (const [name, { value }] of Object.entries(action.outputs)) {
    assert.equal(value, `\${{ steps.notes.outputs.${name} }}`);
    assert.ok(script.includes(`setOutput('${name}', `), `the script sets ${name}`);
    assert.ok(handbook.includes(`\n| \`${name}\` | `), `docs/ci.md has a row for ${name}`);
  }
});

test('the release before a tag is the highest lower version of its package', () => {
  const names = ['v1.9.0', 'v1.10.0', 'v1.10.1', 'v2.0.0-rc.2', 'v2.0.0-rc.10', 'v2.0.0', 'ui@1.9.5', 'ui@2.0.0', 'v1'];
  const tags = names.map((name, day) => ({ name, date: new Date(day * 86_400_000).toISOString() }));
  const expected: [string, string | undefined][] = [
    ['v2.0.0', 'v1.10.1'],
    ['v1.10.1', 'v1.10.0'],
    ['v1.10.0', 'v1.9.0'],
    ['v2.0.0-rc.10', 'v2.0.0-rc.2'],
    ['v2.0.0-rc.2', 'v1.10.1'],
    ['ui@2.0.0', 'ui@1.9.5'],
    ['ui@1.9.5', undefined],
    ['v1.9.0', undefined],
    ['v1', 'ui@2.0.0'],
  ];
  for (const [to, from] of expected) assert.equal(previousTag(tags, to), from, to);
});
