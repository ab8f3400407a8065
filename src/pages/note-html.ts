/**
 * Prepares the stored HTML of a note for its page: headings get an anchor, tables and code can be scrolled by keyboard.
 * The service itself wrote the stored HTML. Its elements have no attributes except addresses of links, and every `<` of a
 * text is escaped.
 */
import { escapeHtml } from '../foundation/escape-html.ts';
import { inShownOrder, markOfHeading } from '../foundation/note-marks.ts';
import type { NoteMark } from '../protocol/hosted.ts';

/** A note that is ready to be shown, and the anchors of the sections that have a mark. */
export interface ShownNote {
  html: string;
  marks: { mark: NoteMark; anchor: string }[];
}

/** Elements inside a line of text. */
const inside = /<\/?(?:a|code|strong|em|s)(?: [^<>]*)?>/g;
const opening = /<h([2-6])>/g;
const scrollable = /<(pre|table)>/g;
/** Maximum number of headings with an anchor. A page must stay cheap to serve, however many headings its note has. */
const maxHeadings = 500;
/** Number of characters of a heading that are read for its anchor, and of elements that can be scrolled by keyboard. */
const [maxHeadingLength, maxScrollable] = [1000, 1000];
const maxAnchorLength = 60;
const maxNameLength = 80;
const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Adds anchors to the headings of a note: to the first 500, if it has more. */
export function withAnchors(stored: string): ShownNote {
  const used = new Map<string, number>();
  const found = new Map<NoteMark, string>();
  const pieces: string[] = [];
  let headings = 0;
  let at = 0;
  for (const { index, 0: start, 1: depth } of stored.matchAll(opening)) {
    const end = `</h${depth}>`;
    const from = index + start.length;
    const to = index < at ? -1 : stored.indexOf(end, from);
    if (to < 0 || headings === maxHeadings) break;
    const content = stored.slice(from, to);
    const name = textOf(content.slice(0, maxHeadingLength)).trim();
    const anchor = anchorOf(name, used);
    const mark = markOfHeading(name);
    if (mark !== undefined && !found.has(mark)) found.set(mark, anchor);
    const label = escapeHtml(shortName(name) || 'section');
    pieces.push(
      stored.slice(at, index),
      `<div class="heading">${start.slice(0, -1)} id="${anchor}">${content}${end}`,
      `<a class="anchor" href="#${anchor}" aria-label="Link to ${label}">#</a></div>`,
    );
    at = to + end.length;
    headings += 1;
  }
  let reached = 0;
  const html = (pieces.join('') + stored.slice(at)).replace(scrollable, (tag, name: string) => {
    reached += 1;
    return reached > maxScrollable ? tag : `<${name} tabindex="0">`;
  });
  return { html, marks: inShownOrder(found.keys()).map((mark) => ({ mark, anchor: found.get(mark) as string })) };
}

/**
 * Returns the text of stored HTML, without elements and escapes. Words of two paragraphs or cells stay apart. The end of
 * the HTML may be cut off.
 */
export function textOf(html: string): string {
  return html
    .replace(inside, '')
    .replace(/<[^<>]*>?/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] ?? '');
}

/**
 * Returns the anchor of a heading: its letters and digits in lower case. Two headings of a page never have the same
 * anchor: `fixed`, `fixed-1`.
 */
function anchorOf(name: string, used: Map<string, number>): string {
  const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const base = [...words.join('-')].slice(0, maxAnchorLength).join('') || 'section';
  for (;;) {
    const before = used.get(base) ?? 0;
    used.set(base, before + 1);
    const anchor = before === 0 ? base : `${base}-${before}`;
    if (anchor === base || !used.has(anchor)) {
      used.set(anchor, used.get(anchor) ?? 1);
      return anchor;
    }
  }
}

function shortName(name: string): string {
  const letters = [...name];
  return letters.length > maxNameLength ? `${letters.slice(0, maxNameLength).join('')}…` : name;
}
