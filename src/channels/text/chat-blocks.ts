/**
 * Puts a note into the blocks of a workspace chat: a header, sections of bounded length, and a line on what did not fit.
 */
import type { Note } from '../channel.ts';
import { cutToFit, type Rest, restText } from './cut.ts';
import type { Block } from './document.ts';
import { type Chunk, escapeMrkdwn, mrkdwnLink, toChunks } from './mrkdwn.ts';
import { blocksOf, readOnUrl, titleOf } from './note-text.ts';
import { settled, shorten, splitText } from './split.ts';

/** A message for a chat; `text` is what notifications show. */
export interface ChatMessage {
  text: string;
  blocks: ChatBlock[];
  unfurl_links: false;
  unfurl_media: false;
}

type ChatBlock =
  | { type: 'header'; text: { type: 'plain_text'; text: string; emoji: false } }
  | { type: 'section'; text: { type: 'mrkdwn'; text: string; verbatim: true } };

const longestHeader = 150;
const longestSection = 3_000;
const mostBlocks = 50;
/** Messages of some 13,200 characters and more are refused, though no documented limit says so. */
const longestMessage = 11_000;

/** The message of a note. */
export function toChatMessage(note: Note): ChatMessage {
  return cutToFit(
    blocksOf(note),
    (kept, rest) => messageOf(note, kept, rest),
    ({ blocks }) => blocks.length <= mostBlocks && lengthOf(blocks) <= longestMessage,
  );
}

/** A message of bare text under a title. */
export function plainChatMessage(title: string, text: string): ChatMessage {
  return message(title, [section(escapeMrkdwn(text))]);
}

function messageOf(note: Note, kept: readonly Block[], rest: Rest | null): ChatMessage {
  const sections = pack(toChunks(kept)).map((text) => section(settled(text)));
  if (rest) sections.push(section(settled(restLine(note, rest))));
  return message(titleOf(note), sections);
}

function restLine(note: Note, rest: Rest): string {
  const url = readOnUrl(note);
  return url === null ? `${restText(rest)}.` : `${restText(rest)}: ${mrkdwnLink(url, '')}`;
}

function message(title: string, sections: readonly ChatBlock[]): ChatMessage {
  return {
    text: settled(escapeMrkdwn(title)),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: shorten(title, longestHeader), emoji: false } },
      ...sections,
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

function section(text: string): ChatBlock {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}

/** Chunks in as few sections as hold them; each part of the notes begins one of its own. */
function pack(chunks: readonly Chunk[]): string[] {
  const packed: string[] = [];
  for (const { text, glue, opens } of chunks) {
    splitText(text, longestSection).forEach((part, index) => {
      const last = packed.at(-1);
      const joined = `${last}${index === 0 ? glue : '\n'}${part}`;
      if (last === undefined || (opens && index === 0) || joined.length > longestSection) packed.push(part);
      else packed[packed.length - 1] = joined;
    });
  }
  return packed;
}

function lengthOf(blocks: readonly ChatBlock[]): number {
  return blocks.reduce((sum, { text }) => sum + text.text.length, 0);
}
