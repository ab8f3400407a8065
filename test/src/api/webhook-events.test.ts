/**
 * Checks that the list of events, the `webhooks` section of the OpenAPI document, the types of the client and the guide
 * describe the same events.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { webhookEventTypes } from '../../../src/api/webhook-events.ts';
import { testEvent, webhookEvents } from '../../../src/protocol/webhooks.ts';
import { type Document, openApi } from '../../helpers/contract.ts';

const listed: Document[] = JSON.parse(JSON.stringify(webhookEventTypes));

test('every event is listed with a schema that its example fits', () => {
  assert.deepEqual(listed.map(({ event }) => event).sort(), [...webhookEvents, testEvent].sort());
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  for (const { event, schema, example, description } of listed) {
    assert.ok(description, event);
    assert.ok(!JSON.stringify(schema).includes('$ref'), `${event}: a schema can be used alone`);
    const validate = ajv.compile<object>(schema);
    assert.ok(validate(example), `${event}: ${ajv.errorsText(validate.errors)}`);
    for (const wrong of [{ data: {} }, { event: 'other' }])
      assert.ok(!validate(Object.assign({}, example, wrong)), event);
  }
});

test('the list and the OpenAPI document have the same schemas, examples and descriptions', () => {
  const described = Object.entries<Document>(openApi.webhooks).map(([event, { post }]) => {
    const { schema, example } = post.requestBody.content['application/json'];
    const { summary, description } = post;
    return { event, summary, description, example, schema: inlined(schema) };
  });
  const shown = listed.map(({ event, summary, description, example, schema: { $schema: _, ...schema } }) => {
    return { event, summary, description, example, schema };
  });
  assert.deepEqual(described, shown);
});

test('the client has a type for every event', () => {
  const operations = read('sdk/operations.ts');
  for (const { event } of listed) assert.ok(operations.includes(`'${event}': `), event);
});

test('the guide describes every event, and names every filter with its events', () => {
  const guide = read('docs/webhooks.md');
  for (const { event } of listed) assert.match(guide, new RegExp(`^\\| \`${event}\` +\\| `, 'm'), event);
  for (const filter of ['personas', 'channels']) {
    const row = guide.split('\n').find((line) => line.startsWith(`| \`${filter}\` `)) ?? assert.fail(filter);
    const stopped = listed.filter(({ filters }) => filters.includes(filter)).map(({ event }) => event);
    assert.deepEqual([...row.matchAll(/`(\w+\.\w+)`/g)].map(([, event]) => event).sort(), stopped.sort(), filter);
  }
});

/** Reads a file of the repository. */
function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8');
}

/** Returns a schema of the document with its references replaced by what they name. */
function inlined(schema: Document): Document {
  const name = schema?.$ref?.split('/').at(-1);
  if (name !== undefined) return inlined(openApi.components.schemas[name]);
  if (Array.isArray(schema)) return schema.map(inlined);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inlined(value)]));
}
