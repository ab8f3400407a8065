/** Finds the two newest release tags of a repository, by their versions. */
import { isPrerelease } from '../notes/range/releases.ts';
import type { TagRecord } from '../protocol/stored.ts';

type Tag = Pick<TagRecord, 'name' | 'date' | 'pushedAt'>;

/** A tag with a version. `line` is the text before the version: `pkg@` for `pkg@1.2.0`, and empty for `v1.2.0`. */
interface Release {
  tag: Tag;
  line: string;
  numbers: number[];
}

/**
 * Returns the names of the two newest release tags, the older one first. Versions decide: `v1.10.0` is newer than
 * `v1.9.0`. Both tags are on the line of the tag that was made last, so that the packages of one repository do not mix.
 * Without two versions, dates decide. Prereleases do not count.
 * @param pattern restricts the tags; `*` matches any text, as in `pkg@*`
 */
export function newestReleases(tags: readonly Tag[], pattern = '*'): [string, string] | undefined {
  const finals = tags.filter(({ name }) => matches(name, pattern) && !isPrerelease(name)).sort(newestFirst);
  const releases = finals.flatMap((tag) => readRelease(tag) ?? []);
  const ofLine = releases.filter(({ line }) => line === releases[0]?.line).sort(highestFirst);
  const [to, from] = ofLine.length > 1 ? ofLine.map(({ tag }) => tag) : finals;
  return to && from && [from.name, to.name];
}

function matches(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}

/** Reads the version at the end of a tag's name. One number alone is not a version: `v1` moves with every release. */
function readRelease(tag: Tag): Release | undefined {
  const [, line = '', numbers = ''] = /^(.*?)(\d+(?:\.\d+)+)(?:\+[\w.-]*)?$/s.exec(tag.name) ?? [];
  return numbers === '' ? undefined : { tag, line: line.replace(/v$/i, ''), numbers: numbers.split('.').map(Number) };
}

function highestFirst(a: Release, b: Release): number {
  for (let i = 0; i < Math.max(a.numbers.length, b.numbers.length); i++) {
    const difference = (b.numbers[i] ?? 0) - (a.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return newestFirst(a.tag, b.tag);
}

function newestFirst(a: Tag, b: Tag): number {
  return (b.date ?? b.pushedAt) - (a.date ?? a.pushedAt) || (a.name > b.name ? -1 : 1);
}
