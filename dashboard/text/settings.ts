/**
 * Contains what the form of the notes settings computes: defaults, differences, merges with changes from elsewhere, the
 * order of sections, and the lines of the example.
 */
import type { NotesSettings } from '../../sdk/index.ts';
import { count, personas, personaWords, sectionWords } from './words.ts';

type Section = NotesSettings['order'][number];

/** The settings of a repository that no one has changed. A test compares them with those of the service. */
export const defaultSettings: NotesSettings = {
  order: [],
  titles: {
    breaking: 'Breaking Changes',
    feature: 'Features',
    fix: 'Bug Fixes',
    security: 'Security',
    performance: 'Performance',
    documentation: 'Documentation',
    other: 'Other Changes',
    reverted: 'Reverted',
    issues: 'Closed Issues',
    commits: 'Direct Commits',
    dependencies: 'Dependencies',
  },
  labels: {},
  excludedLabels: [],
  excludedAuthors: [],
  readVerbs: true,
  hiddenAreas: ['lib', 'libs', 'src', 'pkg', 'packages', 'internal', 'core', 'common', 'deps', 'misc', 'general'],
  links: 'full',
  strictPublishing: false,
  nextVersion: { bump: 'auto', labels: {} },
  noteCheck: {
    mode: 'off',
    need: ['type', 'note'],
    noteFor: ['breaking', 'feature'],
    exempt: { authors: [], labels: [] },
    comment: false,
  },
  engineer: { contributors: true, newContributors: true, directCommits: true, closedIssues: true, dependencies: true },
  internal: { risks: true, closedIssues: true },
  customer: {
    bullets: 0,
    closedIssues: true,
    titles: {
      breaking: 'Action required',
      security: 'Security',
      new: 'New',
      improved: 'Improved',
      fixed: 'Fixed',
    },
  },
};

/** Sections in the order that they have without settings. */
const defaultOrder = Object.keys(defaultSettings.titles) as Section[];

/** Returns all sections in the order of the notes. `first` are those that the settings put first. */
export function wholeOrder(first: readonly Section[]): Section[] {
  return [...new Set([...first, ...defaultOrder])];
}

/** Returns the shortest list for the settings that gives this order of all sections. */
export function firstOf(whole: readonly Section[]): Section[] {
  for (let length = 0; length < whole.length; length++) {
    const first = whole.slice(0, length);
    if (wholeOrder(first).every((name, i) => name === whole[i])) return first;
  }
  return [...whole];
}

/** Moves an item of a list by some places. A place outside the list leaves the list as it is. */
export function moved<T>(list: readonly T[], from: number, by: number): T[] {
  const to = from + by;
  const next = [...list];
  if (to < 0 || to >= list.length) return next;
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

/** Reads a list with one item per line. Blank lines and duplicates are dropped. */
export function linesToList(text: string): string[] {
  const items = text.split('\n').map((line) => line.trim());
  return [...new Set(items.filter((line) => line !== ''))];
}

/** Parts of the form, with the fields that each shows. */
export const parts = {
  sections: { title: 'Sections', fields: ['order', 'titles'] },
  labels: { title: 'Labels', fields: ['labels'] },
  out: { title: 'What is left out', fields: ['excludedLabels', 'excludedAuthors', 'hiddenAreas'] },
  readers: { title: 'Readers', fields: ['engineer', 'internal', 'customer'] },
  writing: { title: 'Writing and publishing', fields: ['readVerbs', 'links', 'strictPublishing'] },
  version: { title: 'Next version', fields: ['nextVersion'] },
  check: { title: 'Check of pull requests', fields: ['noteCheck'] },
} as const satisfies Record<string, { title: string; fields: readonly (keyof NotesSettings)[] }>;

export type PartName = keyof typeof parts;

/** Names of the parts in the order of the form. */
export const partNames = Object.keys(parts) as PartName[];

/** Returns settings in which the fields of a part are those of `from`. */
export function withPart(settings: NotesSettings, part: PartName, from: NotesSettings): NotesSettings {
  const fields = parts[part].fields.map((field) => [field, from[field]]);
  return { ...settings, ...(Object.fromEntries(fields) as Partial<NotesSettings>) };
}

/** Returns the part that shows the field of a fault such as `titles.fix`; undefined for an unknown field. */
export function partOf(field: string): PartName | undefined {
  const [name] = field.split('.');
  return partNames.find((part) => (parts[part].fields as readonly string[]).includes(name as string));
}

/** The path to a value: an item of a form, such as one title or the meaning of one label. */
type Path = readonly string[];
type Tree = Readonly<Record<string, unknown>>;

/** Paths below which each entry is one value, because its name comes from a person. */
const records = new Set(['labels', 'nextVersion,labels']);

function leaves(value: unknown, path: Path = []): Map<string, unknown> {
  const isRecord = records.has(path.slice(0, -1).join(','));
  if (isRecord || typeof value !== 'object' || value === null || Array.isArray(value))
    return new Map([[JSON.stringify(path), value]]);
  return new Map(Object.entries(value).flatMap(([name, inner]) => [...leaves(inner, [...path, name])]));
}

/** Whether two values of JSON are equal. The order of fields does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  return stable(a) === stable(b);
}

function stable(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** A value that differs between two settings; undefined where settings do not have it. */
export interface Difference {
  path: Path;
  before: unknown;
  after: unknown;
}

/** Returns the values that differ between two settings. */
export function differences(before: object, after: object): Difference[] {
  const [old, now] = [leaves(before), leaves(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((key) => ({ path: JSON.parse(key) as Path, before: old.get(key), after: now.get(key) }))
    .filter((each) => !isSame(each.before, each.after));
}

/** Returns `theirs` with each value that `mine` changed since `base`. */
export function merged<T extends object>(base: T, mine: T, theirs: T): T {
  return differences(base, mine).reduce<Tree>(
    (tree, { path, after }) => withValue(tree, path, after),
    theirs as unknown as Tree,
  ) as unknown as T;
}

function withValue(tree: Tree, [name = '', ...rest]: Path, value: unknown): Tree {
  if (rest.length > 0) return { ...tree, [name]: withValue((tree[name] ?? {}) as Tree, rest, value) };
  if (value !== undefined) return { ...tree, [name]: value };
  return Object.fromEntries(Object.entries(tree).filter(([other]) => other !== name));
}

const fieldWords: Readonly<Record<string, string>> = {
  order: 'the order of sections',
  excludedLabels: 'excluded labels',
  excludedAuthors: 'excluded authors',
  hiddenAreas: 'hidden areas',
  readVerbs: 'reading the first words of titles',
  links: 'the style of links',
  strictPublishing: 'strict publishing',
  'nextVersion.bump': 'the step of the next version',
  'noteCheck.mode': 'the mode of the check',
  'noteCheck.need': 'what the check needs',
  'noteCheck.noteFor': 'the kinds that need a release note',
  'noteCheck.exempt.authors': 'authors without a check',
  'noteCheck.exempt.labels': 'labels without a check',
  'noteCheck.comment': 'comments of the check',
  'customer.bullets': 'the maximum of lines for customers',
};

/** Names a value of the settings, such as `the title “Fixes”`. */
export function pathWords(path: Path): string {
  const [field = '', second = '', third = ''] = path;
  if (field === 'titles') return `the title of “${sectionWords[second as Section]}”`;
  if (field === 'labels') return `the label “${second}”`;
  if (field === 'nextVersion' && second === 'labels') return `the version label “${third}”`;
  if (field === 'customer' && second === 'titles') return `the title “${third}” for customers`;
  const known = fieldWords[path.join('.')];
  if (known !== undefined) return known;
  const persona = personas.find((each) => each === field);
  return persona ? `${readerFields[second] ?? second} for ${personaWords[persona].name.toLowerCase()}` : path.join('.');
}

/** The parts of notes that a setting can leave out, by the name of the setting. */
export const readerFields: Readonly<Record<string, string>> = {
  contributors: 'contributors',
  newContributors: 'new contributors',
  directCommits: 'direct commits',
  closedIssues: 'closed issues',
  dependencies: 'dependency updates',
  risks: 'risks',
};

/** Writes a value of the settings for a list of differences. */
export function valueWords(value: unknown): string {
  if (value === undefined) return 'not set';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([name, inner]) => (inner === true ? name : `${name} ${inner}`));
  return fields.length === 0 ? 'no meaning' : fields.join(', ');
}

/** Describes the state of a part in one line. */
export function partSummary(part: PartName, settings: NotesSettings): string {
  const isDefault = parts[part].fields.every((field) => isSame(settings[field], defaultSettings[field]));
  const { labels, excludedLabels, excludedAuthors, hiddenAreas, nextVersion, noteCheck, strictPublishing } = settings;
  if (part === 'labels') {
    const number = Object.keys(labels).length;
    return number === 0
      ? 'only the usual labels have a meaning'
      : `${count(number, 'label')} with a meaning of its own`;
  }
  if (part === 'out')
    return [
      count(excludedLabels.length, 'label'),
      count(excludedAuthors.length, 'author'),
      count(hiddenAreas.length, 'hidden area'),
    ].join(', ');
  if (part === 'version' && nextVersion.bump !== 'auto') return `always raises the ${nextVersion.bump} part`;
  if (part === 'version') {
    const number = Object.keys(nextVersion.labels).length;
    return number === 0 ? 'as the changes require' : `as the changes require, with ${count(number, 'label')}`;
  }
  if (part === 'check')
    return { off: 'off', inform: 'informs, and never fails', require: 'fails if something is missing' }[noteCheck.mode];
  if (isDefault) return part === 'sections' ? 'the usual order and titles' : 'as usual';
  const changed = differences(withPart(settings, part, defaultSettings), settings);
  if (part === 'writing' && strictPublishing && changed.length === 1) return 'publishes only without conflicts';
  const [first] = changed;
  return changed.length === 1 && first ? `changed: ${pathWords(first.path)}` : `${count(changed.length, 'change')}`;
}

/** A line of the example. `sign` is `+` for a line that is new, and `-` for one that would go. */
export interface MarkedLine {
  sign: '+' | '-' | ' ';
  text: string;
}

/**
 * Marks in a text what differs from an older text.
 * @param text the new text
 * @param diff the unified diff that leads to it; an empty text if nothing differs
 */
export function markedLines(text: string, diff: string): MarkedLine[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const found: MarkedLine[] = [];
  let [done, isInside] = [0, false];
  for (const line of diff.split('\n')) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (start) {
      // A part without new lines names the line before it.
      const first = Number(start[1]) - (start[2] === '0' ? 0 : 1);
      while (done < Math.min(first, lines.length)) found.push({ sign: ' ', text: lines[done++] as string });
      isInside = true;
      continue;
    }
    const sign = line[0];
    if (!isInside || (sign !== '+' && sign !== '-' && sign !== ' ')) continue;
    found.push({ sign, text: line.slice(1) });
    if (sign !== '-') done += 1;
  }
  while (done < lines.length) found.push({ sign: ' ', text: lines[done++] as string });
  return found.map((line) => ({ ...line, text: line.text.replace(/\s*<!-- rn:.*? -->/g, '') }));
}

/** Returns labels of pull requests that have no meaning yet, the most frequent first. */
export function freeLabels(pulls: readonly { labels: readonly string[] }[], taken: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const label of pulls.flatMap(({ labels }) => labels)) counts.set(label, (counts.get(label) ?? 0) + 1);
  const isTaken = new Set(taken.map((label) => label.toLowerCase()));
  return [...counts]
    .filter(([label]) => !isTaken.has(label.toLowerCase()))
    .sort(([, a], [, b]) => b - a)
    .map(([label]) => label);
}
