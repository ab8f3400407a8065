/**
 * Finds the known name that a misspelled name probably means.
 */

/** Maximum length of a wrong name. A longer name is not compared with the known names. */
const maxLength = 100;

/**
 * Returns the known name that is closest to a wrong name; undefined if no known name is close. Case, hyphens and
 * underscores are ignored. Example: `TIDINGS_WEBHOOK_SECRET` gives `TIDINGS_WEBHOOK_SECRETS`.
 */
export function nearest(wrong: string, known: readonly string[]): string | undefined {
  if (wrong.length > maxLength) return undefined;
  const wanted = plain(wrong);
  // A short name may have one mistake. A long name may have mistakes in up to a quarter of its letters.
  let best = Math.max(1, Math.floor(wanted.length / 4)) + 1;
  let found: string | undefined;
  for (const name of known) {
    const mistakes = distance(wanted, plain(name));
    if (mistakes >= best) continue;
    best = mistakes;
    found = name;
  }
  return found;
}

/** Returns the text ` Did you mean X?`, or an empty text if no known name is close. */
export function didYouMean(wrong: string, known: readonly string[]): string {
  const name = nearest(wrong, known);
  return name === undefined ? '' : ` Did you mean ${name}?`;
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/^tidings_/, '')
    .replace(/[-_]/g, '');
}

/** Returns how many edits make two texts equal. An edit adds, removes or changes a letter, or swaps two neighbors. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      const swap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? i + j) + 1 : i + j;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + change, swap));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
