/**
 * Tests where the release note of a change appears in each draft, and how a note with several statements becomes several
 * entries.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { explain } from '../../../../src/notes/draft/explain.ts';
import { gather } from '../../../../src/notes/draft/gather.ts';
import type { Persona, PullRecord, RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, memorySource } from '../memory-source.ts';

const all: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 };

function drafts(...pulls: PullRecord[]): Record<Persona, string> {
  const issues = pulls.some(({ linkedIssues }) => linkedIssues.length > 0) ? [issue] : [];
  const source = memorySource({ pulls, issues });
  const of = (persona: Persona): string => compose(source, all, persona).bodyMd;
  return { engineer: of('engineer'), internal: of('internal'), customer: of('customer') };
}

function noted(note: string, fields: Partial<PullRecord> = {}): PullRecord {
  return aPull(1, { title: 'fix: mend rows', body: `\`\`\`release-note\n${note}\n\`\`\``, ...fields });
}

const issue = anIssue(50, { title: 'Rows get lost on upload' });
const several = '[BUGFIX] api: Keep rows\n[FEATURE] Sort rows\n  by name\n[CHANGE] Rows have ids';

test('engineers read the note below the title, colleagues the title below the note, customers the note', () => {
  const { engineer, internal, customer } = drafts(noted('Rows stay in order.', { linkedIssues: [50] }));
  assert.match(engineer, /^- Mend rows \(.* <!-- rn:pr:1 -->\n {2}> Rows stay in order\.$/m);
  assert.match(
    internal,
    /^- Rows stay in order\. \(.*\) <!-- rn:pr:1 -->\n {2}- Title: Mend rows\n {2}- Reported as: Rows get lost on upload/m,
  );
  assert.equal(customer, '## Fixed\n\n- Rows stay in order. <!-- rn:pr:1 -->\n');
});

test('a note that repeats the title appears once', () => {
  const { engineer, internal, customer } = drafts(noted('Mend **rows**.'));
  assert.match(engineer, /^- Mend rows \(.* <!-- rn:pr:1 -->\n\n## New Contributors/m);
  assert.match(internal, /^- Mend rows\. \(.* <!-- rn:pr:1 -->\n$/m);
  assert.doesNotMatch(internal, /Title:/);
  assert.equal(customer, '## Fixed\n\n- Mend rows. <!-- rn:pr:1 -->\n');
});

test('no kind in brackets is left in any draft', () => {
  for (const note of [
    '[BUGFIX] api: Keep rows',
    '[CHANGE] Rows have ids',
    several,
    'ACTION REQUIRED: [BUGFIX] Keep rows',
  ])
    for (const [persona, body] of Object.entries(drafts(noted(note, { title: 'Mend rows' }))))
      assert.doesNotMatch(body, /BUGFIX|FEATURE|CHANGE|ACTION/, `${persona}: ${note}`);
});

test('several statements with kinds are several entries under one number', () => {
  const { engineer, internal, customer } = drafts(noted(several, { linkedIssues: [50] }));
  assert.match(engineer, /## Features\n\n- Sort rows \(\[#1\].* <!-- rn:pr:1\.2 -->/);
  assert.match(engineer, /## Bug Fixes\n\n- \*\*api:\*\* Keep rows \(\[#1\].* <!-- rn:pr:1 -->\n- Rows have ids \(/);
  assert.match(internal, /^- Sort rows by name \(\[#1\]/m);
  assert.equal(
    customer,
    '## New\n\n- Sort rows by name <!-- rn:pr:1.2 -->\n\n## Fixed\n\n- **api:** Keep rows <!-- rn:pr:1 -->\n- Rows have ids <!-- rn:pr:1.3 -->\n',
  );
  const source = memorySource({ pulls: [noted(several)] });
  assert.deepEqual(
    explain(source, all).changes.map(({ number, reason }) => [number, reason]),
    [[1, 'listed']],
  );
});

test('labels decide the kind of one statement, and not of several', () => {
  const sections = (note: string): string[] =>
    gather(memorySource({ pulls: [noted(note, { labels: ['type: feature'] })] }), all).entries.map(
      ({ section }) => section,
    );
  assert.deepEqual(sections('[BUGFIX] Keep rows'), ['feature']);
  assert.deepEqual(sections('[BUGFIX] Keep rows\n[SECURITY] Escape rows'), ['fix', 'security']);
});

test('a statement that calls for action is breaking, and gives the steps', () => {
  const { engineer, customer } = drafts(noted('ACTION REQUIRED: Run `rows move` before the update.'));
  assert.match(
    engineer,
    /^## Breaking Changes\n\n- Mend rows \(fix\) \(.*\n\n {2}> Run `rows move` before the update\.\n/,
  );
  assert.equal(customer, '## Action required\n\n- Run `rows move` before the update. <!-- rn:pr:1 -->\n');
});

test('a change whose note says "none" is not shown to customers, unless it is breaking', () => {
  assert.equal(drafts(noted('NONE')).customer, 'No changes for customers in this range.\n');
  assert.match(drafts(noted('NONE', { title: 'fix!: mend rows' })).customer, /^## Action required\n\n- Mend rows/);
});

test('a long note is cut after a sentence, never inside a word', () => {
  const sentences = Array.from(
    { length: 12 },
    (_, index) => `Sentence ${index} describes the order of rows in a table.`,
  );
  const { engineer, customer } = drafts(noted(sentences.join(' ')));
  const line = /^- (.*) <!-- rn:pr:1 -->$/m.exec(customer)?.[1] ?? '';
  assert.equal(line, sentences.slice(0, 5).join(' '));
  assert.match(engineer, /Sentence 11 describes/, 'engineers read the whole note');
  const endless = `${'word '.repeat(100)}end`;
  const cut = /^- (.*) <!-- rn:pr:1 -->$/m.exec(drafts(noted(endless)).customer)?.[1] ?? '';
  assert.ok(cut.length <= 300 && cut.endsWith(' word…'), cut.slice(-20));
});

test('a sentence may contain dots, and other writing systems have their own full stops', () => {
  const dotted = `Use v1.2.3 of a.b.c ${'and rows '.repeat(20)}today. ${'More words '.repeat(20)}.`;
  assert.match(drafts(noted(dotted)).customer, /^- Use v1\.2\.3 of a\.b\.c (?:and rows ){20}today\. <!--/m);
});
