/**
 * Checks the revisions of a draft: every new body is a revision, no text is stored twice, and old revisions are
 * removed. Restoring a revision also restores the base of later merges.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { draftId } from '../../../src/foundation/ids.ts';
import type { Command } from '../../../src/protocol/commands.ts';
import type { DraftRecord, DraftRevision, FlagChanges } from '../../../src/protocol/stored.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { readDraft } from '../../../src/store/tables/drafts.ts';
import { readResponse } from '../../../src/store/tables/responses.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import {
  listDraftRevisions,
  readDraftRevision,
  readTexts,
  removeRevisions,
  revisionsKept,
} from '../../../src/store/tables/revisions.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import { commandRecord, epoch, pullRecord, repositoryFields, resultRecord } from '../../helpers/partition-records.ts';

const rangeId = 'range_00000000000000000000000000aa';
const id = draftId(rangeId, 'engineer');
const createRange: Command = {
  name: 'createRange',
  rangeId,
  repoId: repositoryFields().id,
  bounds: { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 },
  prCount: 1,
  issueCount: 0,
  resolution: 'window',
};

/**
 * A draft under test. Each message contains one record. The time of each record is one second later than the time of
 * the previous record.
 */
class TestDraft {
  readonly partition: Partition;
  private seq = 0;
  private tickets = 0;

  constructor(partition: Partition) {
    this.partition = partition;
  }

  get record(): DraftRecord {
    return readDraft(this.partition, id) as DraftRecord;
  }

  get revisions(): DraftRevision[] {
    return listDraftRevisions(this.partition, id);
  }

  get kinds(): string[] {
    return this.revisions.map(({ kind }) => kind);
  }

  text(number: number): string | undefined {
    const revision = readDraftRevision(this.partition, id, number);
    return revision && readTexts(this.partition, this.record, revision).bodyMd;
  }

  async command(command: Command) {
    this.seq += 1;
    const record = commandRecord(command, epoch + this.seq * 1000);
    await foldRecords(this.partition, this.seq, record);
    return readResult(this.partition, record.id);
  }

  edit(bodyMd: string, more: { ifMatch?: string[]; by?: string } = {}) {
    return this.command({ name: 'updateDraft', draftId: id, bodyMd, ...more });
  }

  restore(revision: number, more: { ifMatch?: string[]; by?: string } = {}) {
    return this.command({ name: 'restoreDraft', draftId: id, revision, ...more });
  }

  ask(): Promise<unknown> {
    this.tickets += 1;
    const ticket = `ticket-${this.tickets}`;
    return this.command({ name: 'generateDraft', rangeId, draftId: id, persona: 'engineer', ticket });
  }

  editFlags(flags: FlagChanges, more: { bodyMd?: string; ifMatch?: string[]; by?: string } = {}) {
    return this.command({ name: 'updateDraft', draftId: id, flags, ...more });
  }

  async answer(bodyMd: string, highlights: string[] = []): Promise<void> {
    this.seq += 1;
    const flags = { highlights, contributors: [], upgradeInstructions: '' };
    const ticket = `ticket-${this.tickets}`;
    const body = { result: 'rendered', draftId: id, ticket, row: 0, inputSeq: 0, bodyMd, flags } as const;
    await foldRecords(this.partition, this.seq, resultRecord(body, epoch + this.seq * 1000));
  }

  async generate(bodyMd: string, highlights: string[] = []): Promise<void> {
    await this.ask();
    await this.answer(bodyMd, highlights);
  }
}

async function startDraft(partition: Partition): Promise<TestDraft> {
  const draft = new TestDraft(partition);
  await foldRecords(partition, 0, pullRecord(1));
  await draft.command(createRange);
  return draft;
}

/** Returns the text of a generated draft with an entry for each number. */
function entries(...numbers: number[]): string {
  return `## Features\n\n${numbers.map((number) => `- Change ${number} <!-- rn:pr:${number} -->\n`).join('')}`;
}

function storedTexts(partition: Partition): string[] {
  return rows<string>(partition, 'draftTexts').sort();
}

test('every body becomes a revision with its kind and writer', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate(entries(1));
  await draft.edit(`${entries(1)}\nBy hand.\n`, { by: 'key_ada' });
  await draft.generate(entries(1, 2));
  await draft.restore(1, { by: 'key_grace' });
  assert.deepEqual(draft.kinds, ['generated', 'edited', 'merged', 'restored']);
  assert.deepEqual(
    draft.revisions.map(({ by }) => by),
    [null, 'key_ada', null, 'key_grace'],
  );
  assert.deepEqual([draft.text(1), draft.text(4)], [entries(1), entries(1)]);
  assert.match(draft.text(2) ?? '', /By hand/);
  assert.match(draft.text(3) ?? '', /Change 2[\s\S]*By hand/);
  assert.equal(draft.text(5), undefined);
  const bytes = draft.revisions.map((revision) => revision.bytes);
  assert.deepEqual(
    bytes,
    [1, 2, 3, 4].map((number) => Buffer.byteLength(draft.text(number) ?? '')),
  );
  assert.equal(draft.record.revision, 4);
});

test('an unchanged body makes no revision', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate(entries(1));
  await draft.generate(entries(1));
  const before = draft.record;
  await draft.edit(entries(1));
  await draft.restore(1);
  assert.deepEqual(draft.kinds, ['generated']);
  assert.deepEqual(draft.record, before);
  assert.deepEqual(storedTexts(draft.partition), []);
});

test('stores each text once, and no text that the draft holds', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate('one');
  await draft.edit('two');
  await draft.edit('one');
  await draft.edit('two');
  assert.deepEqual(draft.kinds, ['generated', 'edited', 'edited', 'edited']);
  assert.deepEqual(storedTexts(draft.partition), []);
  await draft.edit('three');
  assert.deepEqual(storedTexts(draft.partition), ['two']);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((number) => draft.text(number)),
    ['one', 'two', 'one', 'two', 'three'],
  );
});

test('keeps the newest hundred revisions if none was generated', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.ask();
  await draft.edit('before anything was generated');
  await draft.answer('generated');
  for (let nth = 1; nth <= revisionsKept + 20; nth++) await draft.edit(`edit ${nth}`);
  const numbers = draft.revisions.map(({ number }) => number);
  assert.equal(numbers.length, revisionsKept);
  assert.deepEqual(
    numbers,
    Array.from({ length: revisionsKept }, (_, i) => i + 23),
  );
});

test('never forgets the first generated text', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate('generated');
  for (let nth = 1; nth <= revisionsKept + 20; nth++) await draft.edit(`edit ${nth}`);
  assert.equal(draft.revisions.length, revisionsKept + 1);
  assert.deepEqual([draft.text(1), draft.text(2), draft.text(21)], ['generated', undefined, undefined]);
  assert.equal(draft.text(22), 'edit 21');
  // Two texts are stored in the draft itself: the newest text, and the generated text, which is the base of a merge.
  assert.equal(storedTexts(draft.partition).length, revisionsKept - 1);
});

test('merges a generation after a restore against the restored base', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate(entries(1, 2));
  const edited = entries(1, 2).replace('- Change 1 ', '- My words ');
  await draft.edit(edited);
  await draft.generate(entries(1, 2, 3));
  await draft.restore(2);
  assert.equal(draft.record.bodyMd, edited);
  await draft.generate(entries(1, 2, 3, 4));
  // If the merge used the third revision as its base, it would look as if the person had removed change 3.
  assert.equal(draft.record.bodyMd, entries(1, 2, 3, 4).replace('- Change 1 ', '- My words '));
});

test('follows the generator again after its own text was restored', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate(entries(1));
  await draft.edit('All of it rewritten.\n');
  await draft.restore(1);
  await draft.generate(entries(1, 2));
  assert.deepEqual(draft.kinds, ['generated', 'edited', 'restored', 'generated']);
  assert.equal(draft.record.bodyMd, entries(1, 2));
});

test('restores the base that an unchanged body was last merged against', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate(entries(1, 2));
  await draft.edit(entries(1));
  // The person removed the second entry, so generating that entry with another text does not change the person's draft.
  await draft.generate(entries(1, 2).replace('Change 2', 'Change two'));
  assert.deepEqual(draft.kinds, ['generated', 'edited']);
  await draft.edit('Away.\n');
  await draft.restore(2);
  await draft.generate(entries(1, 2, 3));
  assert.equal(draft.record.bodyMd, entries(1, 3));
});

test('a restore during a render is merged with the rendered text', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate(entries(1));
  await draft.edit(entries(1).replace('Change 1', 'My words'));
  await draft.edit('Away.\n');
  await draft.ask();
  await draft.restore(2);
  assert.equal(draft.record.status, 'processing');
  await draft.answer(entries(1, 2));
  assert.equal(draft.record.status, 'ready');
  assert.equal(draft.record.bodyMd, entries(1, 2).replace('Change 1', 'My words'));
});

test('accepts a change only for the state that it names', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate('one');
  const { digest } = draft.record;
  assert.equal(readResponse(draft.partition, id)?.etag, `"4-${digest}"`);
  assert.equal((await draft.edit('two', { ifMatch: ['x', digest] }))?.ok, true);
  for (const stale of [draft.edit('three', { ifMatch: [digest] }), draft.restore(1, { ifMatch: [] })]) {
    const result = await stale;
    assert.ok(result && !result.ok && result.kind === 'preconditionFailed');
  }
  assert.deepEqual([draft.record.bodyMd, draft.kinds], ['two', ['generated', 'edited']]);
});

test('opening or failing a ticket changes the state', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  const seen = new Set<string>();
  const steps = [
    () => draft.ask(),
    () => draft.answer('one'),
    () => draft.ask(),
    () => draft.answer('one'),
    () => draft.edit('two'),
    () => draft.edit('one'),
  ];
  for (const step of steps) {
    await step();
    seen.add(draft.record.digest);
  }
  assert.equal(seen.size, steps.length);
});

test('refuses an unknown revision', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate('one');
  const result = await draft.restore(2);
  assert.ok(result && !result.ok);
  assert.deepEqual([result.kind, result.message], ['notFound', 'Revision "2" is not found or not accessible.']);
});

test('a merge beyond the maximum size of a draft fails', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate(entries(1));
  const edited = `${entries(1)}\n${'x'.repeat(1_048_000)}\n`;
  await draft.edit(edited);
  await draft.generate(entries(...Array.from({ length: 50 }, (_, i) => i + 1)));
  assert.deepEqual([draft.record.status, draft.record.bodyMd], ['failed', edited]);
  assert.match(
    draft.record.error ?? '',
    /^Together with the edits, the new text would have \d+ bytes; the maximum is 1048576\./,
  );
  await draft.edit('Short.\n');
  await draft.generate(entries(1, 2));
  assert.deepEqual([draft.record.status, draft.record.error], ['ready', null]);
});

test('returns the text of every revision after any order of steps', async (t) => {
  const partition = openTestPartition(t);
  const draft = await startDraft(partition);
  const text = fc.constantFrom(entries(1), entries(1, 2), entries(2), 'By hand.\n', `${entries(1)}\nMore.\n`);
  const step = fc.oneof(
    text.map((bodyMd) => () => draft.edit(bodyMd)),
    text.map((bodyMd) => () => draft.generate(bodyMd)),
    fc.nat({ max: 6 }).map((back) => () => draft.restore(Math.max(1, draft.record.revision - back))),
  );
  const seen = new Map<number, string>();
  await draft.generate(entries(1));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      for (const act of steps) {
        await act();
        seen.set(draft.record.revision, draft.record.bodyMd);
        for (const { number } of draft.revisions.slice(-8)) {
          if (seen.has(number)) assert.equal(draft.text(number), seen.get(number));
        }
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(draft.record.revision > revisionsKept && draft.revisions.length === revisionsKept + 1);
  assert.ok(new Set(storedTexts(partition)).size === storedTexts(partition).length);
  const kept = draft.revisions.length + storedTexts(partition).length;
  assert.equal(removeRevisions(partition, id, 30), 30);
  assert.equal(removeRevisions(partition, id, 1000), kept - 30);
  assert.deepEqual([draft.revisions, storedTexts(partition)], [[], []]);
});

test('edited flags make a revision, survive a generation, and can be restored', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate(entries(1), ['one', 'two']);
  await draft.editFlags({ highlights: ['one', 'mine'] }, { by: 'key_ada' });
  assert.deepEqual(draft.record.flags.highlights, ['one', 'mine']);
  await draft.generate(entries(1, 2), ['one', 'two', 'three']);
  assert.deepEqual(draft.record.flags.highlights, ['one', 'mine', 'three']);
  assert.equal(draft.record.bodyMd, entries(1, 2), 'a text that nobody edited follows');
  await draft.editFlags({ upgradeInstructions: 'Restart.' }, { bodyMd: 'By hand.\n' });
  assert.deepEqual(draft.kinds, ['generated', 'edited', 'merged', 'edited']);
  await draft.restore(2);
  assert.deepEqual([draft.record.bodyMd, draft.record.flags.highlights], [entries(1), ['one', 'mine']]);
  await draft.generate(entries(1, 2), ['one', 'two', 'three']);
  assert.deepEqual(
    draft.record.flags.highlights,
    ['one', 'mine', 'three'],
    'merged with the base of what was restored',
  );
  await draft.restore(1);
  assert.deepEqual(draft.record.flags.highlights, ['one', 'two', 'three'], 'unedited flags are the generated ones');
  assert.equal(draft.record.generatedFlags, undefined);
});

test('an edit of flags names its state, and equal flags change nothing', async (t) => {
  const draft = await startDraft(openTestPartition(t));
  await draft.generate(entries(1), ['one']);
  const { digest } = draft.record;
  await draft.editFlags({ highlights: ['one'] });
  assert.deepEqual([draft.record.digest, draft.record.revision], [digest, 1]);
  await draft.editFlags({ highlights: ['mine'] }, { ifMatch: [digest] });
  const refused = await draft.editFlags({ highlights: ['theirs'] }, { ifMatch: [digest] });
  assert.equal(refused?.ok, false);
  assert.deepEqual(draft.record.flags.highlights, ['mine']);
  await draft.editFlags({ highlights: null });
  assert.deepEqual([draft.record.flags.highlights, draft.record.generatedFlags], [['one'], undefined]);
});

test('unedited flags leave no trace in a draft and its revisions', async (t) => {
  const partition = openTestPartition(t);
  const draft = await startDraft(partition);
  await draft.generate(entries(1), ['one']);
  await draft.edit('By hand.\n');
  await draft.generate(entries(1), ['two']);
  assert.deepEqual(draft.record.flags.highlights, ['two']);
  assert.ok(!('generatedFlags' in draft.record));
  for (const revision of draft.revisions) assert.ok(!('flags' in revision));
  await draft.editFlags({ highlights: ['mine'] });
  const kept = storedTexts(partition).filter((text) => text.startsWith('{'));
  assert.equal(kept.length, 2, 'the edited flags and the generated ones');
});
