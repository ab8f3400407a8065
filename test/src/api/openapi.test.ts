/**
 * Tests that the OpenAPI document is complete and consistent, and that its examples fit its schemas.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deprecationHeaders } from '../../../src/api/deprecation.ts';
import { mocks } from '../../../src/api/mocks.ts';
import { openApiDocument } from '../../../src/api/openapi.ts';
import { apiRoutes } from '../../../src/api/routes.ts';
import { sessionOperations } from '../../../src/api/session-operations.ts';
import { testEvent, webhookEvents } from '../../../src/protocol/webhooks.ts';
import { type Document, faultOf, openApi, operations, resolve } from '../../helpers/contract.ts';

test('every route is an operation with its scope (spec 4)', () => {
  assert.equal(openApi.openapi, '3.1.0');
  for (const { method, path, operation, scope } of apiRoutes) {
    const found = openApi.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    assert.equal(found?.operationId, operation);
    const scopes = scope === null ? [] : [scope];
    assert.deepEqual(found.security, [{ apiKey: scopes }, { session: scopes, sessionCsrf: [] }]);
  }
  assert.equal(operations.length, apiRoutes.length + sessionOperations.length + 2);
});

test('operation ids are unique', () => {
  const ids = operations.map(({ definition }) => definition.operationId);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => /^[a-z][A-Za-z]+$/.test(id)));
});

test('every reference resolves, and every component is used', () => {
  const text = JSON.stringify(openApi);
  const refs = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] as string));
  for (const $ref of refs) resolve({ $ref });
  for (const kind of ['schemas', 'responses', 'parameters', 'headers']) {
    for (const name of Object.keys(openApi.components[kind])) {
      assert.ok(refs.has(`#/components/${kind}/${name}`), `${kind}/${name} is used`);
    }
  }
});

test('the document declares the parameters of each path', () => {
  for (const { path, definition } of operations) {
    const declared = definition.parameters.map(resolve).filter((each: Document) => each.in === 'path');
    assert.deepEqual(
      declared.map((each: Document) => each.name),
      [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]),
    );
    for (const each of declared) assert.equal(faultOf(each.schema, each.example), undefined, each.name);
  }
});

test('every operation has examples that fit its schemas', () => {
  for (const { definition } of operations) {
    const { operationId, requestBody, responses } = definition;
    const contents = [requestBody?.content, ...Object.values<Document>(responses).map((each) => resolve(each).content)];
    for (const content of contents.filter((each) => each !== undefined)) {
      const { schema, example, examples } = content['application/json'] ?? content['text/event-stream'];
      const shown = examples ? Object.values<Document>(examples).map(({ value }) => value) : [example];
      assert.notEqual(shown.length, 0, operationId);
      for (const each of shown) {
        assert.notEqual(each, undefined, operationId);
        assert.equal(faultOf(schema, each), undefined, `${operationId} ${JSON.stringify(each)}`);
      }
    }
  }
});

test('every operation lists the common refusals (spec 7)', () => {
  for (const { path, definition } of operations) {
    const statuses = Object.keys(definition.responses);
    if (path === '/api/openapi.json') continue;
    for (const status of ['400', '401', '403', '429', '500'])
      assert.ok(statuses.includes(status), definition.operationId);
    assert.ok(statuses.includes('404') || !path.includes('{'), definition.operationId);
    assert.ok(statuses.some((status) => status.startsWith('2')));
  }
});

test('schemas refuse additional fields', () => {
  const { example, schema } = openApi.paths['/api/drafts/{draftId}'].get.responses['200'].content['application/json'];
  assert.equal(faultOf(schema, example), undefined);
  assert.match(faultOf(schema, { ...example, more: 1 }) ?? '', /additional properties/);
  const { bodyMd: _, ...less } = example;
  assert.match(faultOf(schema, less) ?? '', /bodyMd/);
});

test('every operation with a mock is in the document', () => {
  const ids = new Set(operations.map(({ definition }) => definition.operationId));
  assert.deepEqual(
    Object.keys(mocks).filter((operation) => !ids.has(operation)),
    [],
  );
});

test('an API key and a session of a key are the only ways to authenticate (spec 5)', () => {
  const { apiKey, session, sessionCsrf, ...others } = openApi.components.securitySchemes;
  assert.deepEqual([apiKey.type, apiKey.scheme, others], ['http', 'bearer', {}]);
  assert.deepEqual([session.in, session.name], ['cookie', '__Host-tidings']);
  assert.deepEqual([sessionCsrf.in, sessionCsrf.name], ['header', 'X-Tidings-CSRF']);
  // A cookie is never enough: each operation that accepts the cookie also needs the header.
  for (const { definition } of operations) {
    for (const way of definition.security) assert.equal('session' in way, 'sessionCsrf' in way, definition.operationId);
  }
  const open = operations.filter(({ definition }) => definition.security.length === 0);
  const ids = open.map(({ definition }) => definition.operationId).sort();
  assert.deepEqual(ids, ['createSession', 'getOpenApi', 'receiveWebhook']);
});

test('a deprecated operation is marked in the document and in its replies', () => {
  const [route] = apiRoutes;
  assert.ok(route);
  const deprecated = { since: '2027-01-01', sunset: '2027-07-01' };
  const document: Document = openApiDocument([{ ...route, contract: { ...route.contract, deprecated } }]);
  const operation = document.paths[route.path][route.method.toLowerCase()];
  assert.equal(operation.deprecated, true);
  const headers = deprecationHeaders(deprecated);
  assert.deepEqual(headers, ['Deprecation', '@1798761600', 'Sunset', 'Thu, 01 Jul 2027 00:00:00 GMT']);
  for (const [i, name] of ['Deprecation', 'Sunset'].entries()) {
    assert.equal(faultOf(operation.responses['200'].headers[name].schema, headers[i * 2 + 1]), undefined);
  }
  assert.deepEqual(deprecationHeaders(undefined), []);
});

test('the document lists its servers: the public address if set, and its own address', () => {
  assert.deepEqual(
    openApi.servers.map(({ url }: Document) => url),
    ['/'],
  );
  const named: Document = openApiDocument(apiRoutes, 'https://notes.acme.example/tidings');
  assert.deepEqual(
    named.servers.map(({ url }: Document) => url),
    ['https://notes.acme.example/tidings', '/'],
  );
  assert.equal(named.info.contact.url, 'https://notes.acme.example/tidings');
});

test('every operation, tag and parameter has a description', () => {
  const sent = Object.values<Document>(openApi.webhooks).map(({ post }) => post);
  for (const definition of [...operations.map((each) => each.definition), ...sent]) {
    assert.ok(definition.summary && definition.description, definition.operationId);
    for (const each of definition.parameters.map(resolve))
      assert.ok(each.description, `${definition.operationId} ${each.name}`);
    for (const tag of definition.tags) {
      assert.ok(openApi.tags.find(({ name }: Document) => name === tag)?.description, tag);
    }
  }
});

test('the document describes the webhooks that the service sends, with examples that fit (spec 6)', () => {
  assert.deepEqual(Object.keys(openApi.webhooks).sort(), [...webhookEvents, testEvent].sort());
  for (const [event, { post }] of Object.entries<Document>(openApi.webhooks)) {
    const { schema, example } = post.requestBody.content['application/json'];
    assert.equal(example.event, event);
    assert.equal(faultOf(schema, example), undefined, event);
    assert.match(faultOf(schema, { ...example, event: 'other' }) ?? '', /event/);
    assert.match(faultOf(schema, { ...example, data: {} }) ?? '', /required/);
  }
});
