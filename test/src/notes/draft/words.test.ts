/**
 * Tests names, paths, versions, commands and code in titles, notes, bodies and commits. Every draft and every channel
 * must show them as they were written.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import MarkdownIt from 'markdown-it';
import type { Note } from '../../../../src/channels/channel.ts';
import { toEmail } from '../../../../src/channels/email/message.ts';
import { toCardMessage } from '../../../../src/channels/text/card.ts';
import { toChatMessage } from '../../../../src/channels/text/chat-blocks.ts';
import { blocksToHtml } from '../../../../src/channels/text/html.ts';
import { parseMarkdown } from '../../../../src/channels/text/parse.ts';
import { parseTitle } from '../../../../src/notes/change/title.ts';
import { compose } from '../../../../src/notes/draft/compose.ts';
import type { NotesSource } from '../../../../src/notes/range/source.ts';
import { defaultSettings } from '../../../../src/protocol/notes.ts';
import type { Persona, PullRecord, RangeBounds } from '../../../../src/protocol/stored.ts';
import { aNote } from '../../../helpers/delivery.ts';
import { seeded } from '../../../helpers/random.ts';
import { type TechnicalText, technicalText } from '../../../helpers/technical-texts.ts';
import { aPull, aPush, aTag, history, memorySource } from '../memory-source.ts';

const personas: readonly Persona[] = ['engineer', 'internal', 'customer'];
const settings = { ...defaultSettings, customer: { ...defaultSettings.customer, bullets: 0 } };
const range: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };
const markdown = new MarkdownIt({ html: true, linkify: false });

/** Removes the character U+200D, which drafts contain to prevent mentions. Readers cannot see this character. */
function withoutJoiners(text: string): string {
  return text.replaceAll('\u200D', '');
}

/** Returns the text that a draft shows, and the content of the draft's code spans. */
function displayed(bodyMd: string): { text: string; code: Set<string> } {
  const lines: string[] = [];
  const code = new Set<string>();
  for (const { type, children } of markdown.parse(bodyMd, {})) {
    if (type !== 'inline') continue;
    const pieces = (children ?? []).filter((token) => token.type !== 'html_inline');
    for (const token of pieces) if (token.type === 'code_inline') code.add(token.content);
    lines.push(pieces.map(({ content }) => withoutJoiners(content)).join(''));
  }
  return { text: lines.join('\n'), code };
}

/** The forms in which a release contains texts. The texts of a release take the forms in turn. */
const forms = [
  'title',
  'title with an area',
  'note under a heading',
  'note in a fence',
  'note with a kind and an area',
  'note with a label',
  'one of several statements',
  'upgrade steps',
  'commit',
  'commit with a kind and an area',
] as const;
type Form = (typeof forms)[number];
const areas = ['HTTP/2', 'retry_count', 'web/ui', 'kube-proxy', 'std', '@acme/rows', 'v2beta1'];

function formOf(index: number): Form {
  return forms[index % forms.length] as Form;
}

/** Returns a release that contains each text in the form of its index. */
function releaseOf(texts: readonly TechnicalText[]): NotesSource {
  const pulls = texts.flatMap(({ source }, index) => pullOf(index, source) ?? []);
  const messages = new Map(texts.flatMap(({ source }, index) => messageOf(index, source)));
  const shas = [...pulls.map(({ number }) => `m${number}`), ...messages.keys(), 'end'];
  const { pushes, commits } = history(aPush('main', 'm0', ['m1'], 1), aPush('main', 'm1', shas, 2));
  return memorySource({
    pulls,
    settings,
    pushes,
    commits: commits.map((commit) => ({ ...commit, message: messages.get(commit.sha) ?? commit.message })),
    tags: [aTag('v1', 'm1'), aTag('v2', 'end')],
  });
}

function pullOf(index: number, text: string): PullRecord | undefined {
  const number = index + 2;
  const title = `feat!: part ${number} of the release`;
  const area = areas[index % areas.length] as string;
  const fenced = (note: string, label = ''): PullRecord =>
    aPull(number, {
      title: `fix: part ${number} of the release`,
      body: `\`\`\`release-note${label}\n${note}\n\`\`\`\n`,
    });
  switch (formOf(index)) {
    case 'title':
      return aPull(number, { title: `feat: ${text}`, labels: ['type: feature'] });
    case 'title with an area':
      return aPull(number, { title: `fix(${area}): ${text}` });
    case 'note under a heading':
      return aPull(number, { title, body: `## Release note\n\n${text}` });
    case 'note in a fence':
      return { ...fenced(text), title };
    case 'note with a kind and an area':
      return fenced(`[BUGFIX] ${area}: ${text}`);
    case 'note with a label':
      return fenced(text, ':enhancement');
    case 'one of several statements':
      return fenced(`[FEATURE] Part ${number} sorts rows\n- [BUGFIX] ${text}\n* [CHANGE] Part ${number} has ids`);
    case 'upgrade steps':
      return aPull(number, { title, body: `## Upgrade\n\n${text}.\n\n1. Restart.` });
    default:
      return undefined;
  }
}

function messageOf(index: number, text: string): [string, string][] {
  if (formOf(index) === 'commit') return [[`d${index}`, text]];
  const area = areas[index % areas.length] as string;
  return formOf(index) === 'commit with a kind and an area' ? [[`d${index}`, `fix(${area}): ${text}\n\nBody`]] : [];
}

/**
 * Returns the texts that a draft for this persona shows. The words of a commit without a prefix decide whether customers
 * and colleagues see the commit.
 */
function shownTo(persona: Persona, texts: readonly TechnicalText[]): TechnicalText[] {
  return texts.filter((_text, index) => persona === 'engineer' || formOf(index) !== 'commit');
}

function assertShown({ text, code }: ReturnType<typeof displayed>, texts: readonly TechnicalText[], of: string): void {
  for (const each of texts) {
    assert.ok(text.includes(each.shown), `${of} alters ${JSON.stringify(each.source)}`);
    for (const span of each.code) assert.ok(code.has(span), `${of} alters the code ${JSON.stringify(span)}`);
  }
}

test('10,000 texts of technical words stay unchanged in all personas', (t) => {
  const seed = Number(process.env.WORDS_SEED ?? 20_261_122);
  t.diagnostic(`seed ${seed}`);
  const random = seeded(seed);
  for (let release = 0; release < 100; release += 1) {
    const texts = Array.from({ length: 100 }, () => technicalText(random));
    const source = releaseOf(texts);
    for (const persona of personas) {
      const { bodyMd } = compose(source, range, persona);
      assertShown(displayed(bodyMd), shownTo(persona, texts), `seed ${seed}, ${persona}`);
    }
  }
});

/**
 * One function per channel. Each function returns the text that readers of the channel see in a note, without markup.
 */
const channels: Record<string, (note: Note) => string> = {
  chat: (note) =>
    toChatMessage(note)
      .blocks.map(({ text }) => text.text)
      .join('\n')
      .replaceAll('`', '')
      .replace(/&(lt|gt|amp);/g, (_all, sign) => ({ lt: '<', gt: '>', amp: '&' })[sign as 'lt'] ?? ''),
  card: (note) =>
    toCardMessage(note)
      .attachments[0].content.body.map(({ text }) => text)
      .join('\n')
      .replace(/\\([\\`*_[\]<>&~#.)+=-])/g, '$1'),
  'mail as text': (note) => toEmail(note).text,
  'mail as HTML': (note) => shownOfHtml(toEmail(note).html),
  page: ({ bodyMd }) => shownOfHtml(blocksToHtml(parseMarkdown(bodyMd))),
};

function shownOfHtml(html: string): string {
  return html
    .replace(/<\/?[a-z][^<>]*>/g, '')
    .replace(
      /&(lt|gt|amp|quot|#39|#x27);/g,
      (_all, sign) => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[sign as 'lt'] ?? "'",
    );
}

test('texts of technical words stay unchanged in what channels send', () => {
  const random = seeded(7);
  for (let release = 0; release < 100; release += 1) {
    const texts = Array.from({ length: 8 }, () => technicalText(random));
    const source = releaseOf(texts);
    for (const persona of personas) {
      const note = aNote({ bodyMd: compose(source, range, persona).bodyMd, persona });
      for (const [channel, shown] of Object.entries(channels)) {
        const text = withoutJoiners(shown(note));
        for (const each of shownTo(persona, texts))
          assert.ok(text.includes(each.shown), `${channel} alters ${JSON.stringify(each.source)} for ${persona}`);
      }
    }
  }
});

test('a command keeps its case and its dot, a plain word gets a capital', () => {
  const cases: [string, string][] = [
    ['acme repo fork: keep the name', 'acme repo fork: keep the name'],
    ['fix: clusterctl move loses labels', 'clusterctl move loses labels'],
    ['fix: keep the name.', 'Keep the name'],
    ['fix: reconciling takes long', 'Reconciling takes long'],
    ['fix: git add .', 'git add .'],
    ['std::vector is faster', 'std::vector is faster'],
    ['test::all is slow', 'test::all is slow'],
    ['fix: use buffer[1.2]', 'Use buffer[1.2]'],
    ['fix: turn by rotate(AB-90)', 'Turn by rotate(AB-90)'],
  ];
  for (const [title, text] of cases) assert.equal(parseTitle(title).text, text);
});
