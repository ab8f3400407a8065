/**
 * Splits Markdown into prose and the parts that are not read as prose: fenced blocks, code spans, comments. The text is
 * read once, so the time is linear in its length.
 */

/** A piece of a text. All pieces concatenated are the whole text. */
export interface Part {
  kind: 'prose' | 'code' | 'comment';
  text: string;
}

const opening = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/**
 * Splits a Markdown text into parts. The text must use `\n` as line end. A comment that never ends is prose. A fence
 * that never ends is code.
 */
export function markdownParts(markdown: string): Part[] {
  return fencedParts(markdown).flatMap((part) => (part.kind === 'code' ? [part] : inlineParts(part.text)));
}

/** Changes the prose of a text and leaves code and comments as they are. */
export function mapProse(markdown: string, change: (prose: string) => string): string {
  return markdownParts(markdown)
    .map(({ kind, text }) => (kind === 'prose' ? change(text) : text))
    .join('');
}

/** Returns the fence that a text leaves open; undefined if all fences are closed. */
export function openFence(markdown: string): string | undefined {
  let fence = '';
  for (const line of markdown.split('\n')) fence = fenceAfter(fence, line);
  return fence === '' ? undefined : fence;
}

/** Returns the fence that is open after a line; '' for none. `fence` is the fence that was open before the line. */
export function fenceAfter(fence: string, line: string): string {
  if (fence === '') return opening.exec(line)?.[1] ?? '';
  const mark = line.trim();
  const closes =
    mark.length >= fence.length && mark === (fence[0] as string).repeat(mark.length) && /^ {0,3}\S/.test(line);
  return closes ? '' : fence;
}

function fencedParts(markdown: string): Part[] {
  const parts: Part[] = [];
  let fence = '';
  for (const line of markdown.split(/(?<=\n)/)) {
    const after = fenceAfter(fence, line.replace(/\n$/, ''));
    const kind = fence !== '' || after !== '' ? 'code' : 'prose';
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += line;
    else parts.push({ kind, text: line });
    fence = after;
  }
  return parts;
}

function inlineParts(text: string): Part[] {
  const parts: Part[] = [];
  const closings = codeSpans(text);
  const lastEnd = text.lastIndexOf('-->');
  let from = 0;
  const take = (start: number, end: number, kind: Part['kind']): void => {
    if (start > from) parts.push({ kind: 'prose', text: text.slice(from, start) });
    parts.push({ kind, text: text.slice(start, end) });
    from = end;
  };
  for (const { 0: mark, index } of text.matchAll(/`+|<!--/g)) {
    if (index < from) continue;
    const closing = closings.get(index);
    if (closing !== undefined) take(index, closing, 'code');
    else if (mark === '<!--' && index < lastEnd) take(index, text.indexOf('-->', index) + 3, 'comment');
  }
  if (from < text.length) parts.push({ kind: 'prose', text: text.slice(from) });
  return parts;
}

/**
 * Returns the start and end of each code span. A span ends at the next run of the same number of backticks in its
 * paragraph.
 */
function codeSpans(text: string): Map<number, number> {
  const spans = new Map<number, number>();
  let start = 0;
  for (const paragraph of text.split(/(?<=\n[ \t]*\n)/)) {
    const runs = [...paragraph.matchAll(/`+/g)];
    const next = new Map<number, number>();
    for (const { 0: run, index } of runs.reverse()) {
      const end = next.get(run.length);
      if (end !== undefined) spans.set(start + index, end);
      next.set(run.length, start + index + run.length);
    }
    start += paragraph.length;
  }
  return spans;
}
