/** Computes what the tools of the editor do to a Markdown text. */

export type Tool = 'bold' | 'italic' | 'link' | 'list' | 'heading' | 'code';

/** A replacement of one part of a text, and what is selected afterwards. */
export interface Replacement {
  from: number;
  to: number;
  insert: string;
  select: readonly [start: number, end: number];
}

const around: Partial<Record<Tool, string>> = { bold: '**', italic: '_', code: '`' };
const before: Partial<Record<Tool, string>> = { list: '- ', heading: '## ' };
const url = 'https://';

/** Applies a tool to a selection. If the selection has the tool already, the tool is removed. */
export function applyTool(tool: Tool, text: string, start: number, end: number): Replacement {
  const sign = around[tool];
  const prefix = before[tool];
  if (sign !== undefined) return toggleAround(sign, text, start, end);
  if (prefix !== undefined) return toggleBefore(prefix, text, start, end);
  const chosen = text.slice(start, end);
  const isAddress = /^https?:\/\/\S+$/.test(chosen);
  const insert = isAddress ? `[](${chosen})` : `[${chosen}](${url})`;
  // The person continues with the part that is missing.
  const at = start + (isAddress || chosen === '' ? 1 : chosen.length + 3);
  return { from: start, to: end, insert, select: [at, isAddress || chosen === '' ? at : at + url.length] };
}

function toggleAround(sign: string, text: string, start: number, end: number): Replacement {
  const chosen = text.slice(start, end);
  const { length } = sign;
  const isAround = text.slice(start - length, start) === sign && text.slice(end, end + length) === sign;
  if (isAround && start >= length)
    return { from: start - length, to: end + length, insert: chosen, select: [start - length, end - length] };
  return { from: start, to: end, insert: sign + chosen + sign, select: [start + length, end + length] };
}

/** Adds a prefix to all lines of a selection; removes it if all of them have it. */
function toggleBefore(prefix: string, text: string, start: number, end: number): Replacement {
  // A search that begins before the text would begin at its first sign.
  const from = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
  const lines = text.slice(from, end).split('\n');
  const has = lines.every((line) => line.startsWith(prefix));
  const insert = lines.map((line) => (has ? line.slice(prefix.length) : prefix + line)).join('\n');
  const at = from + insert.length;
  return { from, to: end, insert, select: lines.length > 1 ? [from, at] : [at, at] };
}
