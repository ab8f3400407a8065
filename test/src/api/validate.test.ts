/**
 * Tests the checks of queries and bodies: messages name every bad field, and hostile values are refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TObject } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { check, checkQuery, isDate, shown, withDefaults } from '../../../src/api/validate.ts';
import { type ErrorDetails, ServiceError } from '../../../src/foundation/errors.ts';
import { NotesSettingsSchema } from '../../../src/protocol/notes.ts';
import {
  GenerateDraftBodySchema,
  ListDraftsQuerySchema,
  UpdateDraftBodySchema,
} from '../../../src/protocol/resources/drafts.ts';
import { NoQuerySchema } from '../../../src/protocol/resources/fields.ts';
import { PagingSchema } from '../../../src/protocol/resources/paging.ts';
import { CreateRangeBodySchemas, ListRangesQuerySchema } from '../../../src/protocol/resources/ranges.ts';

function detailsOf(step: () => unknown): ErrorDetails {
  try {
    step();
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.kind === 'invalid', String(error));
    return { ...error.details };
  }
  return {};
}

const query = (schema: TObject, text: string) => detailsOf(() => checkQuery(schema, text));
const body = (schema: TObject, value: unknown) => detailsOf(() => check(schema, value, 'body'));

test('paging has its defaults (spec 4)', () => {
  assert.deepEqual({ ...checkQuery<object>(PagingSchema, '') }, { limit: 20, offset: 0 });
  assert.deepEqual(
    { ...checkQuery<object>(PagingSchema, 'limit=100&offset=7&sort=name&order=desc') },
    {
      limit: 100,
      offset: 7,
      sort: 'name',
      order: 'desc',
    },
  );
});

test('defaults are filled in where a field is missing', () => {
  const puts: object[] = [
    {},
    { titles: { fix: 'Mended' }, order: ['fix', 'security'] },
    { customer: { titles: { new: 'Neu' } }, labels: { infra: { skip: true } }, links: 'short' },
    { excludedAuthors: ['ada'], engineer: {}, internal: { risks: false } },
  ];
  for (const put of puts) {
    const before = JSON.stringify(put);
    const whole = withDefaults(NotesSettingsSchema, put);
    assert.equal(JSON.stringify(put), before, 'the given settings are not changed');
    assert.equal(JSON.stringify(whole), JSON.stringify(Value.Default(NotesSettingsSchema, structuredClone(put))));
  }
});

test('an object in place of an array is refused, whatever its field length is', () => {
  for (const length of [3, 2 ** 32 - 1]) {
    const whole = withDefaults(NotesSettingsSchema, { order: { length }, titles: [], excludedLabels: null });
    const details = detailsOf(() => check(NotesSettingsSchema, whole, 'body'));
    assert.deepEqual(Object.keys(details), ['order', 'titles', 'excludedLabels']);
  }
});

test('a bad page size is refused (spec 4)', () => {
  for (const limit of ['0', '101', '-1', '1.5', '1e1', '', 'ten', '0x10', '99999999999999999999', ' 5', '٣']) {
    assert.deepEqual(Object.keys(query(PagingSchema, `limit=${encodeURIComponent(limit)}`)), ['limit'], limit);
  }
  for (const offset of ['-1', '', 'x', '1000000001']) {
    assert.deepEqual(Object.keys(query(PagingSchema, `offset=${offset}`)), ['offset'], offset);
  }
});

test('the error for an unknown value lists the allowed values', () => {
  assert.match(query(PagingSchema, 'sort=size').sort ?? '', /one of createdAt, updatedAt, name, got "size"/);
  assert.match(
    query(ListDraftsQuerySchema, 'releaseRangeId=r&persona=boss').persona ?? '',
    /engineer, internal, customer/,
  );
});

test('the error names an unknown parameter', () => {
  assert.match(query(PagingSchema, 'page=2').page ?? '', /unknown; expected one of limit, offset, sort, order/);
  assert.match(query(NoQuerySchema, 'x=').x ?? '', /unknown; expected nothing$/);
});

test('the error names a repeated parameter', () => {
  assert.match(query(PagingSchema, 'limit=5&limit=6').limit ?? '', /once, got it several times/);
});

test('the error names a missing parameter', () => {
  assert.deepEqual(Object.keys(query(ListRangesQuerySchema, '')), ['repoId']);
  assert.deepEqual(Object.keys(query(ListRangesQuerySchema, 'repoId=&limit=0')).sort(), ['limit', 'repoId']);
});

test('names of built-in properties are unknown fields', () => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    assert.match(query(PagingSchema, `${name}=1`)[name] ?? '', /^unknown/, name);
    const value = JSON.parse(`{"persona": "engineer", "${name}": 1}`);
    assert.match(body(GenerateDraftBodySchema, value)[name] ?? '', /^unknown/, name);
  }
});

test('the error names all bad fields of a body', () => {
  const value = { type: 'PR_BASED', repoId: '', fromPrNumber: 0, toPrNumber: '5', extra: 1 };
  const fields = Object.keys(body(CreateRangeBodySchemas.PR_BASED, value)).sort();
  assert.deepEqual(fields, ['extra', 'fromPrNumber', 'repoId', 'toPrNumber']);
});

test('the error names a field as it was sent', () => {
  assert.deepEqual(Object.keys(body(UpdateDraftBodySchema, { bodyMd: '', 'a/b~c': 1 })), ['a/b~c']);
});

test('a body must be an object', () => {
  for (const value of [null, undefined, [], 'text', 5, true]) {
    assert.deepEqual(Object.keys(body(UpdateDraftBodySchema, value)), ['body'], String(value));
  }
});

test('hostile bodies are refused with short messages', () => {
  const nested = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  assert.equal(body(UpdateDraftBodySchema, { bodyMd: nested }).bodyMd, 'expected a string, got an array');
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, i]));
  assert.equal(Object.keys(body(UpdateDraftBodySchema, wide)).length, 20);
  const long = body(UpdateDraftBodySchema, { ['x'.repeat(1_000_000)]: 1, bodyMd: 7 });
  assert.ok(JSON.stringify(long).length < 1000);
});

test('a value in a message is short', () => {
  assert.deepEqual([shown(undefined), shown(null), shown({}), shown([])], ['nothing', 'null', 'an object', 'an array']);
  fc.assert(fc.property(fc.jsonValue(), (value) => shown(value).length <= 80));
});

test('isDate accepts only days of the calendar', () => {
  for (const day of ['2026-01-31', '2024-02-29', '0001-01-01', '9999-12-31']) assert.ok(isDate(day), day);
  const none = [
    '2026-02-29',
    '2026-13-01',
    '2026-00-01',
    '2026-1-1',
    '2026-01-01T00:00:00Z',
    '',
    '26-01-01',
    ' 2026-01-01',
    '2026-01-01\n',
  ];
  for (const day of none) assert.equal(isDate(day), false, JSON.stringify(day));
});
