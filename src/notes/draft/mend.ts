/**
 * Repairs a text from which a part was cut: removes extra blanks, empty brackets and loose signs at the cut. All other
 * text stays as it was written.
 */

/** Marks a cut. Unicode reserves this character for use inside a program, so no exchanged text contains it. */
export const gone = '\uFDE8';
const brackets = new RegExp(String.raw`[([<][\s,;${gone}]*[)\]>]`, 'g');
/**
 * Matches a sign that people write without a blank before it, such as a comma. A dot is not matched if it begins a name
 * or an ellipsis, as in `.ts` or `...`.
 */
const closes = /^(?:[,;:!?)\]]|\.(?![\w.]))/;
const listMark = /^(?:[-*+]|\d{1,9}[.)])$/;

/** Removes the marks of all cuts and joins the text around them. */
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

/**
 * Appends a piece of text that followed a cut. At the start of the result and after a list mark, the piece loses its
 * leading signs, such as `:`, because these signs belonged to the removed text.
 */
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

/** Removes blanks, open brackets and signs at the end of a text, one sign at a time: `a (see: -` becomes `a (see`. */
function withoutLooseEnd(text: string): string {
  let end = text.length;
  for (;;) {
    if (/[\s,;:(]/.test(text.charAt(end - 1))) end -= 1;
    else if (/[-–—]/.test(text.charAt(end - 1)) && /\s/.test(text.charAt(end - 2))) end -= 2;
    else return text.slice(0, end);
  }
}
