/**
 * Says of a pull request which section it belongs to, where it touches, how much it matters and whether it is breaking.
 * Reverts and backports need other records and are told apart in files of their own.
 */
import type { IssueRecord, PullRecord } from '../../protocol/stored.ts';
import { sayBreaking } from './body.ts';
import { isUpdate, isUpdater, ownWords } from './dependencies.ts';
import { type ChangeType, distinctAreas, type LabelReading, readLabels, type Vocabulary } from './labels.ts';
import { isRelease, isRoutine } from './routine.ts';
import { type ParsedTitle, parseTitle } from './title.ts';

/** Sections of the notes; a change stands in the first that fits, in this order, and only there (spec part 2, rule 3). */
export type Section =
  | 'breaking'
  | 'feature'
  | 'fix'
  | 'security'
  | 'performance'
  | 'documentation'
  | 'other'
  | 'dependency';

/** What a pull request is. */
export interface Classification {
  section: Section;
  kind: 'change' | 'dependency' | 'revert' | 'release';
  breaking: boolean;
  /** Kind of a breaking change besides that it breaks. */
  besides: ChangeType | null;
  areas: string[];
  /** Keys and numbers of issues in the title. */
  keys: string[];
  priority: boolean;
  /** Asked for among the highlights by a label. */
  highlight: boolean;
  /** Work on the project itself, which no user notices. */
  housekeeping: boolean;
  /** The label that keeps it out of the notes. */
  skip: string | null;
  /** The title without its prefixes, not yet escaped. */
  text: string;
}

/**
 * Classifies by labels, then title prefix, then labels of linked issues; what breaks is never taken back by a label.
 * @param ownLabels labels to go by instead of the pull request's
 */
export function classify(
  pull: PullRecord,
  linkedIssues: readonly IssueRecord[],
  vocabulary?: Vocabulary,
  ownLabels: readonly string[] = pull.labels,
): Classification {
  const title = parseTitle(pull.title);
  const labels = readLabels(ownLabels, vocabulary);
  const types = typesOf(title, labels, () => linkedIssues.map((issue) => readLabels(issue.labels, vocabulary)));
  const breaking = title.breaking || types.has('breaking') || (sayBreaking(ownWords(pull)) && !isRelease(title));
  const kind = kindOf(pull, title, labels);
  const section = sectionOf(kind, breaking, types, labels);
  const { areas, text } = areasOf(title, labels);
  return {
    section,
    kind: kind === 'dependency' && section !== 'dependency' ? 'change' : kind,
    breaking,
    besides: breaking ? (firstOf(types, ['feature', 'fix', 'security', 'performance', 'documentation']) ?? null) : null,
    areas,
    keys: title.keys,
    priority: labels.priority,
    highlight: labels.highlight,
    housekeeping:
      section === 'other' && (title.housekeeping || title.dependency || labels.housekeeping || isRoutine(title)),
    skip: labels.skip,
    text,
  };
}

/** What a title's prefix says where no label says more, as it does of most changes. */
const alone: Record<ChangeType, ReadonlySet<ChangeType>> = {
  breaking: new Set(['breaking']),
  feature: new Set(['feature']),
  fix: new Set(['fix']),
  security: new Set(['security']),
  performance: new Set(['performance']),
  documentation: new Set(['documentation']),
};
const noTypes: ReadonlySet<ChangeType> = new Set();

/** Kinds that the strongest source names; a weaker one is not asked once a stronger has spoken. */
function typesOf(title: ParsedTitle, labels: LabelReading, ofIssues: () => LabelReading[]): ReadonlySet<ChangeType> {
  if (title.type && labels.specTypes.size + labels.aliasTypes.size === 0) return alone[title.type];
  const prefix = new Set<ChangeType>(title.type ? [title.type] : []);
  if (labels.specTypes.has('breaking') || labels.aliasTypes.has('breaking')) prefix.add('breaking');
  const spoken = [labels.specTypes, labels.aliasTypes, prefix].filter((types) => types.size > 0);
  if (spoken.length > 0) return unionOnBreaking(spoken);
  if (title.housekeeping || labels.housekeeping || labels.dependencies) return noTypes;
  const issues = ofIssues();
  const spec = new Set(issues.flatMap(({ specTypes }) => [...specTypes]));
  return spec.size > 0 ? spec : new Set(issues.flatMap(({ aliasTypes }) => [...aliasTypes]));
}

/** The first source decides, except that each may say that the change breaks something, and then what it is besides. */
function unionOnBreaking(spoken: ReadonlySet<ChangeType>[]): ReadonlySet<ChangeType> {
  const breaks = spoken.some((types) => types.has('breaking'));
  return breaks ? new Set(spoken.flatMap((types) => [...types])) : (spoken[0] as ReadonlySet<ChangeType>);
}

function kindOf(pull: PullRecord, title: ParsedTitle, labels: LabelReading): Classification['kind'] {
  // Somebody who calls it a feature or a fix has seen more in it than a version.
  if (labels.specTypes.size === 0 && isRelease(title)) return 'release';
  if (title.revert || /^revert ["“'`]/i.test(title.text)) return 'revert';
  if (labels.dependencies || isUpdater(pull.author.login)) return 'dependency';
  if ((pull.author.bot || title.dependency) && isUpdate(title.text)) return 'dependency';
  return 'change';
}

/** A label that names a kind takes an update out of the dependencies; a prefix such as `fix(deps):` does not. */
function sectionOf(
  kind: Classification['kind'],
  breaking: boolean,
  types: ReadonlySet<ChangeType>,
  labels: LabelReading,
): Section {
  if (breaking) return 'breaking';
  const named = labels.specTypes.size + labels.aliasTypes.size > 0;
  if (kind === 'dependency' && !named) return 'dependency';
  return firstOf(types, ['feature', 'fix', 'security', 'performance', 'documentation']) ?? 'other';
}

function firstOf(types: ReadonlySet<ChangeType>, order: ChangeType[]): ChangeType | undefined {
  return order.find((type) => types.has(type));
}

/** Area labels win; a loose word before a colon then stays in the text, unless it repeats one of them. */
function areasOf(title: ParsedTitle, labels: LabelReading): Pick<Classification, 'areas' | 'text'> {
  if (labels.areas.length === 0) return { areas: distinctAreas(title.areas), text: title.text };
  if (!title.looseArea) return { areas: labels.areas, text: title.text };
  const known = new Set(labels.areas.map((area) => area.toLowerCase()));
  const repeats = title.areas.every((area) => known.has(area.toLowerCase()));
  return { areas: labels.areas, text: repeats ? title.text : `${title.areas.join(', ')}: ${title.text}` };
}
