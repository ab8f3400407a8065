/**
 * Returns the entries of a draft as data: words, numbers, kind, and the reason why each entry is listed. The spec does
 * not define this list. The worker that owns the partition computes it on each request.
 */
import { ask } from '../journal/query.ts';
import { draftContracts, type ListEntriesQuery, ListEntriesQuerySchema } from '../protocol/resources/drafts.ts';
import type { Entries, EntriesTask } from '../protocol/tasks.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { placeOf } from './page.ts';
import type { ApiRoute } from './route.ts';
import { visible } from './stored-object.ts';

const listEntries: ApiRoute<ListEntriesQuery> = {
  method: 'GET',
  path: '/api/drafts/:draftId/entries',
  operation: 'listDraftEntries',
  contract: draftContracts.listDraftEntries,
  scope: 'drafts:read',
  query: ListEntriesQuerySchema,
  handle: async (request) => {
    const [draftId = ''] = request.params;
    const { partition } = visible(request, draftId, { prefix: 'draft', resource: 'Draft', read: readDraft });
    const { limit = 20, offset = 0 } = request.query;
    const question: EntriesTask = { task: 'entries', draftId, limit, offset };
    const { entries, total } = await ask<EntriesTask, Entries>(request.context.journal, partition.name, question);
    return { status: 200, body: { entries, ...placeOf(offset, entries.length, total) } };
  },
};

export const draftEntryRoutes = [listEntries];
