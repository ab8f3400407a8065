/**
 * Finds the known name that a misspelt one was probably meant to be.
 */

/**
 * The known name nearest to a wrong one.
 * @returns undefined when none is near: more than a third of the letters differ, and no name begins with it
 */
export function closestName(wrong: string, names: readonly string[]): string | undefined {
  const text = wrong.toLowerCase();
  const most = Math.max(1, Math.floor(text.length / 3));
  let closest: string | undefined;
  let least = most + 1;
  for (const name of names) {
    // The length alone rules out most names, and any name for a very long text.
    if (Math.abs(name.length - text.length) > most) continue;
    const steps = editSteps(text, name.toLowerCase());
    if (steps < least) [closest, least] = [name, steps];
  }
  return closest ?? (text.length < 2 ? undefined : names.find((name) => name.toLowerCase().startsWith(text)));
}

/** The sentence to add to an error message, with a space before it; empty when no name is near. */
export function didYouMean(wrong: string, names: readonly string[]): string {
  const name = closestName(wrong, names);
  return name === undefined ? '' : ` Did you mean ${JSON.stringify(name)}?`;
}

/** Letters added, removed, replaced or swapped with their neighbour on the way from one text to the other. */
function editSteps(from: string, to: string): number {
  let [before, last] = [[] as number[], Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const ways = [at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1)];
      if (isSwap) ways.push(at(before, j - 2) + 1);
      row.push(Math.min(...ways));
    }
    [before, last] = [last, row];
  }
  return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] as number;
}
