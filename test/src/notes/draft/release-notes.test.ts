/**
 * Tests where the release note of a change appears in each draft, and how a note with several statements becomes several
 * entries.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import MarkdownIt from 'markdown-it';
import { markedIn } from '../../../../src/foundation/markers.ts';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { explain } from '../../../../src/notes/draft/explain.ts';
import { gather } from '../../../../src/notes/draft/gather.ts';
import { defaultSettings } from '../../../../src/protocol/notes.ts';
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

test('a pull request with several statements is one update, and one left-out change', () => {
  const block = (text: string): string => `\`\`\`release-note:dependency\n${text}\n\`\`\`\n`;
  const body = block('a 1 to 2') + block('b 1 to 2');
  const { engineer } = drafts(aPull(1, { title: 'Bump a and b', labels: ['dependencies'], body }));
  assert.match(engineer, /<summary>1 update<\/summary>\n\n- Bump a and b \(\[#1\]\([^)]*\)\) <!--/);
  const settings = { ...defaultSettings, excludedAuthors: ['bob'] };
  const pulls = [
    noted(several, { author: { login: 'bob', bot: false } }),
    aPull(2, { title: 'Bump a from 1 to 2', labels: ['dependencies'] }),
  ];
  const source = memorySource({ pulls, settings });
  assert.deepEqual(gather(source, all).dropped, [{ number: 1, reason: 'author', detail: 'bob' }]);
  assert.equal(compose(source, all, 'customer').bodyMd, 'No changes for customers in this range.\n');
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

test('a call for action in a later block makes the change breaking, and stays a paragraph', () => {
  const body =
    '```release-note\nAdd x.\n```\n\n```release-note\nACTION REQUIRED: remove --old from your scripts.\n```\n';
  const { engineer, customer } = drafts(aPull(1, { title: 'feat: add x', body }));
  assert.match(
    engineer,
    /^## Breaking Changes\n\n- Add x .*\n\n {2}> Add x\.\n {2}>\n {2}> remove --old from your scripts\.\n/,
  );
  assert.match(customer, /^## Action required\n\n- Add x\. remove --old from your scripts\. <!-- rn:pr:1 -->\n/);
});

test('a note that requires no action says nothing', () => {
  for (const note of ['Action required: None', '**ACTION REQUIRED:** none.', 'ACTION REQUIRED\n\nN/A']) {
    assert.equal(drafts(noted(note)).customer, 'No changes for customers in this range.\n', note);
    const { engineer } = drafts(noted(`Rows stay.\n\`\`\`\n\n\`\`\`release-note\n${note}`));
    assert.match(engineer, /^## Bug Fixes\n\n- Mend rows .*\n {2}> Rows stay\.\n\n/, note);
  }
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

test('a long note is not cut at an abbreviation or inside code', () => {
  const lineOf = (note: string): string => /^- (.*) <!-- rn:pr:1 -->$/m.exec(drafts(noted(note)).customer)?.[1] ?? '';
  const words = 'and rows '.repeat(30);
  for (const start of ['Filter files (e.g. only pictures)', 'Run `git add . now! ok` first'])
    assert.ok(lineOf(`${start} ${words}${words}end.`).startsWith(`${start} and rows`), start);
  const two = `Sort rows ${'and cells '.repeat(20)}at once.`;
  assert.equal(lineOf(`${two} Filter files (e.g. only pictures) ${words}end.`), two);
  assert.equal(lineOf(`${two} Run \`a. b\` ${words}end.`), two);
  const signs = '表の行を並べ替える。'.repeat(40);
  assert.equal(lineOf(signs), signs.slice(0, 300));
});

test('a sentence may contain dots, and other writing systems have their own full stops', () => {
  const dotted = `Use v1.2.3 of a.b.c ${'and rows '.repeat(20)}today. ${'More words '.repeat(20)}.`;
  assert.match(drafts(noted(dotted)).customer, /^- Use v1\.2\.3 of a\.b\.c (?:and rows ){20}today\. <!--/m);
});

test('a note or a step cannot contain the marker of another change', () => {
  for (const text of [
    'Rows <!-- rn:pr:12 --> stay',
    'Rows \\<!-- rn:pr:12 --> stay',
    'Rows `<!-- rn:pr:12 -->` stay',
    'Rows `a\n<!-- rn:pr:12 -->` stay',
    '    <!-- rn:pr:12 -->',
    '~~~\n<!-- rn:pr:12 -->\n~~~',
    '- a\n  ~~~\n<!-- rn:pr:12 -->\n<!<b>-- rn:pr:12 -->\n~~~',
    'Rows <!-- r\u200Bn:pr:12 --> stay',
    'Rows <!<b>-- rn:pr:12 --> stay',
    'Rows <!-- rn:[pr](x:y):12 --> stay',
    'Rows <!-- @rn:pr:12 --> stay',
    'Rows <!-- #5rn:pr:12 --> and <!-- rn:pr:#5 12 --> stay',
  ])
    for (const body of [
      `\`\`\`release-note\n${text}\n\`\`\``,
      `## Release note\n\n${text}`,
      `## Upgrade\n\nSteps:\n\n${text}`,
    ])
      for (const title of ['fix: mend rows', 'fix!: mend rows'])
        for (const [persona, draft] of Object.entries(drafts(noted('', { title, body }))))
          assert.deepEqual([...new Set(markedIn(draft))], ['pr:1'], `${persona}: ${body}`);
});

test('a step of one change makes no link of a word in another change', () => {
  for (const step of ['- [abc]: vscode://evil/x', '[abc](#12): vscode://evil/x', '> [abc] #12: vscode://evil/x'])
    for (const [persona, draft] of Object.entries(
      drafts(
        aPull(1, { title: 'fix!: mend rows', body: `## Upgrade\n\nSteps:\n\n${step}` }),
        aPull(2, { title: 'fix!: mend columns', body: '## Upgrade\n\nSteps:\n\nSet [abc].' }),
      ),
    )) {
      const env = { references: {} };
      new MarkdownIt().parse(draft, env);
      assert.deepEqual(env.references, {}, `${persona}: ${step}`);
    }
});

test('code and lists in a note are quoted as they are written, in one entry', () => {
  const yaml = 'Pipelines can now be configured:\n\n```yaml\nbuild: make\ntest: make test\n```';
  const tabs = 'The settings have new tabs.\n\n- Security: shows all sessions\n- Performance: shows slow pages';
  for (const text of [yaml, tabs]) {
    const { engineer, customer } = drafts(
      aPull(1, { title: 'feat: configure it', body: `## Release note\n\n${text}` }),
    );
    const quoted = text.split('\n').map((line) => `  > ${line}`.trimEnd());
    assert.ok(engineer.includes(`\n${quoted.join('\n')}\n`), engineer);
    assert.deepEqual(markedIn(engineer), ['pr:1']);
    assert.match(
      customer,
      /^## New\n\n- (?:Pipelines can now be configured|The settings have new tabs\. .*) <!-- rn:pr:1 -->\n$/,
    );
  }
});
