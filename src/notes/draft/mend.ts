/**
 * Mends a text where something was cut out of it: blanks, empty brackets and loose signs go there. Everywhere else the text
 * stays as it was written.
 */

/** Stands where something was cut out. Unicode reserves it for use inside a program: no text that is exchanged has it. */
export const gone = '\uFDE8';
const brackets = new RegExp(String.raw`[([<][\s,;${gone}]*[)\]>]`, 'g');
/** Signs that stand right behind a word; a dot only where it ends one. */
const closes = /^(?:[,;:!?)\]]|\.(?![\w.]))/;
const listMark = /^(?:[-*+]|\d{1,9}[.)])$/;

/** The text without the marks of what was cut out, read on across them. */
export function mended(text: string): string {
  if (!text.includes(gone)) return text.trim();
  const parts = text.replace(brackets, (all) => (all.includes(gone) ? gone : all)).split(gone);
  const kept: string[] = [];
  let apart = false;
  for (const [index, part] of parts.entries()) {
    const piece = part.trim();
    apart ||= /^\s/.test(part);
    if (piece !== '') {
      if (index > 0) append(kept, piece, apart);
      else kept.push(piece);
      apart = false;
    }
    apart ||= /\s$/.test(part);
  }
  const last = parts.at(-1)?.trim() === '' ? kept.pop() : undefined;
  if (last !== undefined) kept.push(withoutLooseEnd(last));
  return kept.join('').trim();
}

/** Adds what follows a cut; at the start and behind a list mark, signs that led on from what is gone are gone too. */
function append(kept: string[], piece: string, apart: boolean): void {
  const last = kept.at(-1);
  if (last === undefined || (kept.length === 1 && listMark.test(last))) {
    const begins = piece.replace(/^[\s:,;]+/, '');
    kept.push(...(last === undefined ? [] : [' ']), begins);
  } else if (closes.test(piece)) {
    if (/[,;:]$/.test(last) && /^[,;:.]/.test(piece)) kept[kept.length - 1] = withoutLooseEnd(last);
    kept.push(piece);
  } else {
    const isWord = /[\p{L}\p{N}]$/u.test(last) && /^[\p{L}\p{N}]/u.test(piece);
    kept.push((apart || isWord) && !/[([]$/.test(last) ? ' ' : '', piece);
  }
}

/** Without blanks, open brackets and signs at the end that led to something, read from there: `a (see: -` is `a (see`. */
function withoutLooseEnd(text: string): string {
  let end = text.length;
  for (;;) {
    if (/[\s,;:(]/.test(text.charAt(end - 1))) end -= 1;
    else if (/[-–—]/.test(text.charAt(end - 1)) && /\s/.test(text.charAt(end - 2))) end -= 2;
    else return text.slice(0, end);
  }
}
