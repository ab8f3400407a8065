/**
 * Compares drafts of small invented repositories, one for each house style, with the reviewed drafts in
 * `test/golden/styles/`. Also checks rules that hold for every draft, whatever the style.
 * `node dist/test/src/notes/styles.test.js --write` writes the current drafts. Review the difference afterwards.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import MarkdownIt from 'markdown-it';
import { compose } from '../../../src/notes/draft/compose.ts';
import { gather } from '../../../src/notes/draft/gather.ts';
import { customerLines } from '../../../src/notes/draft/personas/customer.ts';
import type { Persona, PullRecord } from '../../../src/protocol/stored.ts';
import { ownHtml } from '../../helpers/own-html.ts';
import { memorySource } from './memory-source.ts';
import { styles } from './styles/index.ts';
import type { Style } from './styles/style.ts';

const root = fileURLToPath(new URL('../../../../test/golden/styles/', import.meta.url));
const personas: Persona[] = ['engineer', 'internal', 'customer'];
const isWriting = process.argv.includes('--write');
const markdown = new MarkdownIt({ html: true, linkify: false });
type Token = ReturnType<typeof markdown.parse>[number];
/** An area has a heading of its own from this number of entries on. */
const fewestForHeading = 3;

/** A line of a draft, as a Markdown library shows it. */
interface Line {
  /** The heading above the line. */
  heading: string;
  /** The tag of a heading, or an empty text. */
  tag: string;
  /** The text without code spans. */
  prose: string;
  /** The text with code spans. */
  text: string;
  code: string[];
  html: string[];
}

function linesOf(bodyMd: string): Line[] {
  const lines: Line[] = [];
  const tokens = markdown.parse(bodyMd, {});
  let heading = '';
  tokens.forEach((token, index) => {
    const before = tokens[index - 1];
    const tag = before?.type === 'heading_open' ? before.tag : '';
    if (tag !== '') heading = token.content;
    if (token.type === 'html_block') lines.push({ ...lineOf([]), heading, html: piecesOf(token.content) });
    if (token.type === 'inline') lines.push({ ...lineOf(token.children ?? []), heading, tag });
  });
  return lines;
}

function lineOf(tokens: readonly Token[]): Line {
  const shown = tokens.filter(({ type }) => type !== 'html_inline');
  const code = shown.filter(({ type }) => type === 'code_inline').map(({ content }) => content);
  const html = tokens.filter(({ type }) => type === 'html_inline').flatMap(({ content }) => piecesOf(content));
  return {
    ...{ heading: '', tag: '', code, html },
    prose: shown.map(({ type, content }) => (type === 'code_inline' ? ' ' : content)).join(''),
    text: shown.map(({ content }) => content).join(''),
  };
}

function piecesOf(html: string): string[] {
  return html.split(/(?<=-->)\s*/).filter((piece) => piece !== '');
}

/** Returns the lines of a draft that are entries: they end with a marker. */
function entryLines(bodyMd: string): string[] {
  return bodyMd.split('\n').filter((line) => line.includes('<!-- rn:'));
}

function drafts(style: Style): { persona: Persona; bodyMd: string }[] {
  return personas.map((persona) => ({
    persona,
    bodyMd: compose(memorySource(style.memory), style.bounds, persona).bodyMd,
  }));
}

/** Matches names that a title can contain: calls, paths, options, packages, versions, names with `_` or capitals inside. */
const identifier =
  /(?<![\w@/.-])(?:--?[a-z][\w-]*|[~@]?\/?[\w.-]+(?:\/[\w.+-]+)+|\.[A-Za-z]\w+|[A-Za-z]\w*\(\)|\w+_\w+|[a-z]+[A-Z]\w*|v?\d+(?:\.\d+)+[\w.-]*|[A-Z]{2,}[\d.]+\w*)(?!\w)/g;

/** Returns the code spans and identifiers in the words of a title, which follow the last prefix. */
function namesIn(title: string): { code: string[]; identifiers: string[] } {
  const words = title.replace(/^(?:\[[^\]]*\]\s*)*(?:[^\s`]+(?:\([^)]*\))?!?: )?/, '').replace(/ \(#\d+\)/g, '');
  const code = [...words.matchAll(/`([^`]+)`/g)].map(([, inner = '']) => inner);
  return { code, identifiers: words.replace(/`[^`]+`/g, ' ').match(identifier) ?? [] };
}

/** Whether a host made the title from the name of the branch. The signs between its words are not kept. */
function isBranchName({ title, headRef }: Pick<PullRecord, 'title' | 'headRef'>): boolean {
  return title.toLowerCase().replaceAll(' ', '-') === headRef?.toLowerCase();
}

for (const style of styles) {
  const { name, memory, bounds } = style;
  test(`the drafts of the style ${name} equal the reviewed ones`, () => {
    for (const { persona, bodyMd } of drafts(style)) {
      const path = join(root, name, `${persona}.md`);
      if (isWriting) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, bodyMd);
      }
      assert.equal(bodyMd, readFileSync(path, 'utf8'), `${path} differs`);
    }
  });

  test(`the drafts of the style ${name} contain no other HTML than the service's own`, () => {
    for (const { persona, bodyMd } of drafts(style))
      for (const { html } of linesOf(bodyMd)) for (const piece of html) assert.match(piece, ownHtml, persona);
  });

  test(`the headings of areas in the style ${name} have at least three entries`, () => {
    for (const { persona, bodyMd } of drafts(style)) {
      const parts = bodyMd.split(/^(?=#{2,3} )/m).filter((part) => part.startsWith('### '));
      for (const part of parts) assert.ok(entryLines(part).length >= fewestForHeading, `${persona}: ${part}`);
    }
  });

  test(`no line of the style ${name} begins or ends with the brackets of a prefix`, () => {
    for (const { persona, bodyMd } of drafts(style)) {
      for (const line of entryLines(bodyMd)) {
        const text = line.replace(/^- (?:\*\*[^*]+:\*\* )?/, '').replace(/<!--.*$/, '');
        assert.doesNotMatch(text, /^(?:\\?\[[^#]|\*\*)|\\\[[A-Z]|\[[A-Z]{3,}\]/, `${persona}: ${line}`);
      }
    }
  });

  test(`customer drafts of the style ${name} name no number, person or hash`, () => {
    const { bodyMd } = compose(memorySource(memory), bounds, 'customer');
    const people = (memory.issues ?? []).map(({ author }) => author.login);
    const logins = new Set([...(memory.pulls ?? []).map(({ author }) => author.login), ...people]);
    for (const { prose } of linesOf(bodyMd)) {
      assert.doesNotMatch(prose, /#\d|\b(?!CVE|GHSA)[A-Z]{2,}-\d/);
      assert.doesNotMatch(prose, /(?<![\w/])@(?![\w-]+\/)/);
      assert.doesNotMatch(prose, /(?<![\w-])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}(?![\w-])/);
      for (const login of logins) assert.ok(!prose.includes(login), `${login} in ${prose}`);
    }
  });

  test(`drafts of the style ${name} keep the names and the code of titles`, () => {
    const notes = gather(memorySource(memory), bounds);
    const ofCustomers = customerLines(notes);
    for (const { persona, bodyMd } of drafts(style)) {
      const lines = linesOf(bodyMd);
      const shown = lines.map(({ text }) => text).join('\n');
      const code = new Set(lines.flatMap((line) => line.code));
      for (const entry of notes.entries) {
        const isShown = bodyMd.includes(`<!-- rn:${entry.marker} -->`);
        const line = ofCustomers.get(entry);
        const isReworded = persona === 'customer' && (line?.source !== 'title' || line.phrase.startsWith('Security'));
        const isSplit = notes.entries.some((each) => each !== entry && each.pull !== null && each.pull === entry.pull);
        if (!isShown || isReworded || isSplit || isBranchName(entry.record)) continue;
        const names = namesIn(entry.record.title);
        for (const each of names.code) assert.ok(code.has(each), `${persona}: \`${each}\` of ${entry.record.title}`);
        for (const each of names.identifiers)
          assert.ok(shown.includes(each), `${persona}: ${each} of ${entry.record.title}`);
      }
    }
  });

  test(`all drafts of the style ${name} list the breaking changes, and only these, as breaking`, () => {
    const headings = new Set(['Breaking Changes', 'Action required']);
    for (const { persona, bodyMd } of drafts(style)) {
      const listed = linesOf(bodyMd).filter(({ heading, tag }) => headings.has(heading) && tag === '');
      const markers = listed.flatMap(({ html }) => html.flatMap((piece) => /rn:(\S+)/.exec(piece)?.[1] ?? []));
      assert.deepEqual(markers.sort(), [...style.breaking].sort(), persona);
    }
  });
}
