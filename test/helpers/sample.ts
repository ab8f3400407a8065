/** Folds the sample history into a partition as a worker would. Tests read complete drafts of the sample history. */
import type { TestContext } from 'node:test';
import { sampleHistory, sampleRepository } from '../../demo/history/index.ts';
import { ulid } from '../../src/foundation/ids.ts';
import { toEvents } from '../../src/intake/events.ts';
import { compose } from '../../src/notes/draft/compose.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import type { Persona } from '../../src/protocol/stored.ts';
import { RepositoryView } from '../../src/store/repository-view.ts';
import { foldRecords, openTestPartition } from './partition.ts';

/** The time at which the first delivery of the sample is received. The drafts do not depend on this time. */
const start = Date.UTC(2026, 10, 21);

/** Returns the text of a draft for the sample repository. The draft describes the changes between two tags. */
export type SampleDrafts = (fromTag: string, toTag: string, persona: Persona) => string;

export async function sampleDrafts(t: TestContext): Promise<SampleDrafts> {
  const partition = openTestPartition(t);
  const records: JournalRecord[] = [];
  let repoId = '';
  for (const { event, delivery, body } of sampleHistory()) {
    const at = start + records.length;
    const events = toEvents(event, JSON.parse(JSON.stringify(body)), sampleRepository.hostOrigin, at);
    if (!events) continue;
    const { repository, bodies } = events;
    repoId = repository.id;
    bodies.forEach((each, part) => {
      records.push({ id: ulid(at), at, kind: 'event', delivery, source: '', part, repository, body: each });
    });
  }
  await foldRecords(partition, 1, ...records);
  const view = RepositoryView.of(partition, repoId);
  if (!view) throw new Error('the sample repository was not captured');
  return (fromTag, toTag, persona) => compose(view, { type: 'TAG_BASED', fromTag, toTag }, persona).bodyMd;
}
