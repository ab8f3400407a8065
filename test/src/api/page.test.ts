/** Tests the pages of a list: their order, size and totals. All pages together contain each item once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { page, type Sortable } from '../../../src/api/page.ts';

const fallback = { sort: 'createdAt', order: 'desc' } as const;

function item(id: string, createdAt: number, name = id): Sortable {
  return { id, createdAt, updatedAt: -createdAt, name };
}

const self = (each: Sortable) => each;
const ids = (items: readonly Sortable[]) => items.map(({ id }) => id).join('');
const three = [item('a', 2), item('b', 3), item('c', 1)];

test('a page states where the next page begins (spec 4)', () => {
  const first = page(three, { limit: 2 }, self, fallback);
  assert.deepEqual([ids(first.items), first.total, first.hasMore, first.nextOffset], ['ba', 3, true, 2]);
  const last = page(three, { limit: 2, offset: 2 }, self, fallback);
  assert.deepEqual([ids(last.items), last.total, last.hasMore, last.nextOffset], ['c', 3, false, null]);
});

test('a page past the end is empty', () => {
  const beyond = page(three, { offset: 1_000_000_000 }, self, fallback);
  assert.deepEqual(beyond, { items: [], total: 3, hasMore: false, nextOffset: null });
  assert.deepEqual(page([], {}, self, fallback), { items: [], total: 0, hasMore: false, nextOffset: null });
});

test('a page has 20 items by default (spec 4)', () => {
  const many = Array.from({ length: 30 }, (_, i) => item(String(i), i));
  assert.equal(page(many, {}, self, fallback).items.length, 20);
});

test('sort and order together set the order', () => {
  assert.equal(ids(page(three, { sort: 'createdAt' }, self, fallback).items), 'cab');
  assert.equal(ids(page(three, { sort: 'createdAt', order: 'desc' }, self, fallback).items), 'bac');
  assert.equal(ids(page(three, { sort: 'updatedAt' }, self, fallback).items), 'bac');
  assert.equal(ids(page(three, { sort: 'name', order: 'desc' }, self, fallback).items), 'cba');
  assert.equal(ids(page(three, { order: 'asc' }, self, fallback).items), 'cab');
});

test('all pages together are the whole list', () => {
  const items = fc.uniqueArray(fc.record({ id: fc.string(), createdAt: fc.nat({ max: 3 }), name: fc.string() }), {
    selector: ({ id }) => id,
  });
  const sort = fc.constantFrom('createdAt', 'updatedAt', 'name' as const);
  fc.assert(
    fc.property(
      items,
      fc.integer({ min: 1, max: 7 }),
      sort,
      fc.constantFrom('asc', 'desc' as const),
      (raw, limit, by, order) => {
        const all = raw.map(({ id, createdAt, name }) => item(id, createdAt, name));
        const seen: string[] = [];
        for (let offset: number | null = 0; offset !== null; ) {
          const cut: ReturnType<typeof page<Sortable>> = page(all, { limit, offset, sort: by, order }, self, fallback);
          seen.push(...cut.items.map(({ id }) => id));
          assert.equal(cut.hasMore, cut.nextOffset !== null);
          offset = cut.nextOffset;
        }
        assert.deepEqual(seen.sort(), all.map(({ id }) => id).sort());
      },
    ),
  );
});
