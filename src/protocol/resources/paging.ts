/** Pages of lists: the query that selects a page, and the reply that contains the page. */
import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { closed, count, orNull, text } from './fields.ts';

export const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0 })),
  sort: Type.Optional(Type.Union([Type.Literal('createdAt'), Type.Literal('updatedAt'), Type.Literal('name')])),
  order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
};

export const PagingSchema = Type.Object(paging, closed);
export type Paging = Static<typeof PagingSchema>;

/** Returns the schema of a page of a list (spec part 4). */
export function listOf<T extends TSchema>(name: string, item: T, besides: TProperties = {}): TObject {
  const items: TProperties = { [name]: Type.Array(item, { maxItems: 100 }) };
  const rest = { total: count(), hasMore: Type.Boolean({ examples: [false] }), nextOffset: orNull(count(20)) };
  return Type.Object({ ...items, ...rest, ...besides }, closed);
}

/**
 * The field that lists with filters have besides. A request examines a limited number of rows. If there are more rows,
 * the field contains the value of the parameter `cursor` for the request that examines them.
 */
export const nextCursor = (example: string) =>
  orNull(text(example, 'the `cursor` that continues the list; null if this list is complete'));
