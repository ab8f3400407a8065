/** Finds the release before a tag, by the versions in the names of tags. */

/**
 * Returns the release before a tag: the highest lower version of the same package. Prereleases count only before a
 * prerelease. For a tag without a version, the date decides.
 */
export function previousTag(tags, to) {
  const own = readVersion(to);
  const at = (name) => Date.parse(tags.find((tag) => tag.name === name)?.date ?? '');
  const others = tags.filter(({ name }) => name !== to);
  if (!own)
    return others.filter(({ date }) => Date.parse(date) <= at(to)).sort((a, b) => at(b.name) - at(a.name))[0]?.name;
  const lower = others.flatMap(({ name }) => {
    const version = readVersion(name);
    const counts = version && version.line === own.line && (own.pre.length > 0 || version.pre.length === 0);
    return counts && compare(version, own) < 0 ? [{ name, version }] : [];
  });
  return lower.sort((a, b) => compare(b.version, a.version))[0]?.name;
}

function readVersion(name) {
  const [, line, numbers, pre = ''] = /^(.*?)(\d+(?:\.\d+)+)(?:-([\w.-]+))?(?:\+[\w.-]*)?$/.exec(name) ?? [];
  return numbers === undefined
    ? undefined
    : { line: line.replace(/v$/i, ''), numbers: numbers.split('.').map(Number), pre: pre === '' ? [] : pre.split('.') };
}

/** Compares two versions as Semantic Versioning does. A prerelease is lower than its release. */
function compare(a, b) {
  for (let i = 0; i < Math.max(a.numbers.length, b.numbers.length); i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const [one, two] = [a.pre[i], b.pre[i]];
    if (one === two) continue;
    if (one === undefined || two === undefined) return one === undefined ? -1 : 1;
    const [isNumber, isOther] = [/^\d+$/.test(one), /^\d+$/.test(two)];
    if (isNumber && isOther) return Number(one) - Number(two);
    if (isNumber !== isOther) return isNumber ? -1 : 1;
    return one < two ? -1 : 1;
  }
  return 0;
}
