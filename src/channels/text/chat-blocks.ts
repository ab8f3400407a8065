/**
 * Formats a note as the blocks of a workspace chat: a header, sections of limited length, and a line about the changes
 * that did not fit.
 */
import type { Note } from '../channel.ts';
import { cutToFit, type Rest, restText } from './cut.ts';
import type { Block } from './document.ts';
import { type Chunk, escapeMrkdwn, mrkdwnLink, toChunks } from './mrkdwn.ts';
import { blocksOf, readOnUrl, titleOf } from './note-text.ts';
import { settled, shorten, splitText } from './split.ts';

/** A message for a chat. Notifications show `text`. */
export interface ChatMessage {
  text: string;
  blocks: ChatBlock[];
  unfurl_links: false;
  unfurl_media: false;
}

type ChatBlock =
  | { type: 'header'; text: { type: 'plain_text'; text: string; emoji: false } }
  | { type: 'section'; text: { type: 'mrkdwn'; text: string; verbatim: true } };

const maxHeaderLength = 150;
const maxSectionLength = 3_000;
const maxBlocks = 50;
/**
 * Maximum characters of a message. The chat refuses messages of about 13,200 characters or more, and does not document
 * this limit.
 */
const maxMessageLength = 11_000;

/** Returns the message for a note. */
export function toChatMessage(note: Note): ChatMessage {
  return cutToFit(
    blocksOf(note),
    (kept, rest) => messageOf(note, kept, rest),
    ({ blocks }) => blocks.length <= maxBlocks && lengthOf(blocks) <= maxMessageLength,
  );
}

/** Returns a message of plain text with a title. */
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
      { type: 'header', text: { type: 'plain_text', text: shorten(title, maxHeaderLength), emoji: false } },
      ...sections,
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

function section(text: string): ChatBlock {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}

/** Packs chunks into as few sections as possible. A chunk that begins a part of the notes also begins a new section. */
function pack(chunks: readonly Chunk[]): string[] {
  const packed: string[] = [];
  for (const { text, glue, opens } of chunks) {
    splitText(text, maxSectionLength).forEach((part, index) => {
      const last = packed.at(-1);
      const joined = `${last}${index === 0 ? glue : '\n'}${part}`;
      if (last === undefined || (opens && index === 0) || joined.length > maxSectionLength) packed.push(part);
      else packed[packed.length - 1] = joined;
    });
  }
  return packed;
}

function lengthOf(blocks: readonly ChatBlock[]): number {
  return blocks.reduce((sum, { text }) => sum + text.text.length, 0);
}
