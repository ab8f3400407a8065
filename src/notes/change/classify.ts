/**
 * Classifies a pull request: its section, its areas, its priority, and whether it is breaking. Reverts and backports
 * depend on records of other changes, so they are handled in other files.
 */
import type { IssueRecord, PullRecord } from '../../protocol/stored.ts';
import { announcesBreaking } from './body.ts';
import { isUpdate, isUpdater, ownWords } from './dependencies.ts';
import { type ChangeType, distinctAreas, type LabelReading, readLabels, type Vocabulary } from './labels.ts';
import { isRelease, isRoutine } from './routine.ts';
import { type ParsedTitle, parseTitle } from './title.ts';

/**
 * Sections of the notes. A change is listed only in the first section that fits, in this order (spec part 2, rule 3).
 */
export type Section =
  | 'breaking'
  | 'feature'
  | 'fix'
  | 'security'
  | 'performance'
  | 'documentation'
  | 'other'
  | 'dependency';

/** The classification of a pull request. */
export interface Classification {
  section: Section;
  kind: 'change' | 'dependency' | 'revert' | 'release';
  breaking: boolean;
  /** The kind that a breaking change has besides `breaking`, for example `fix`; null if the change has no such kind. */
  besides: ChangeType | null;
  areas: string[];
  /** Issue keys and issue numbers in the title. */
  keys: string[];
  priority: boolean;
  /** Whether a label asks to list the change among the highlights. */
  highlight: boolean;
  /** Whether the change is work on the project itself, which users do not notice. */
  housekeeping: boolean;
  /** The label that keeps the change out of the notes. */
  skip: string | null;
  /** The title without its prefixes, not yet escaped. */
  text: string;
}

/**
 * Classifies a pull request by its labels, then by its title prefix, then by labels of linked issues. If the title or
 * body marks the change as breaking, no label can undo that mark.
 * @param ownLabels labels to use instead of the labels of the pull request
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
  const breaking = title.breaking || types.has('breaking') || (announcesBreaking(ownWords(pull)) && !isRelease(title));
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

/**
 * Maps each kind to a set that contains only this kind. Such a set is used if the title names a kind and no label names
 * a kind. This is the case for most changes that have a kind.
 */
const alone: Record<ChangeType, ReadonlySet<ChangeType>> = {
  breaking: new Set(['breaking']),
  feature: new Set(['feature']),
  fix: new Set(['fix']),
  security: new Set(['security']),
  performance: new Set(['performance']),
  documentation: new Set(['documentation']),
};
const noTypes: ReadonlySet<ChangeType> = new Set();

/**
 * Returns the kinds of a change from the strongest source that names a kind. The sources, strongest first, are: labels
 * of the spec, other labels, the prefix of the title, and labels of linked issues.
 */
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

/**
 * Returns the kinds of the strongest source. If any source says that the change is breaking, returns the kinds of all
 * sources together.
 * @param spoken the kinds of each source, strongest source first
 */
function unionOnBreaking(spoken: ReadonlySet<ChangeType>[]): ReadonlySet<ChangeType> {
  const breaks = spoken.some((types) => types.has('breaking'));
  return breaks ? new Set(spoken.flatMap((types) => [...types])) : (spoken[0] as ReadonlySet<ChangeType>);
}

function kindOf(pull: PullRecord, title: ParsedTitle, labels: LabelReading): Classification['kind'] {
  // If a label such as `type: fix` names a kind, the pull request does more than make a release.
  if (labels.specTypes.size === 0 && isRelease(title)) return 'release';
  if (title.revert || /^revert ["“'`]/i.test(title.text)) return 'revert';
  if (labels.dependencies || isUpdater(pull.author.login)) return 'dependency';
  if ((pull.author.bot || title.dependency) && isUpdate(title.text)) return 'dependency';
  return 'change';
}

/**
 * Returns the section of a change. A label that names a kind moves a dependency update out of the section for
 * dependencies. A prefix such as `fix(deps):` leaves the update in that section.
 */
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

/**
 * Returns the areas of a change and the text of its title. Area labels take precedence over areas in the title.
 * Example: the title `parser: Add x` with the area label `core` keeps the text `parser: Add x`. With the area label
 * `parser`, the text is `Add x`, because the label already names the area.
 */
function areasOf(title: ParsedTitle, labels: LabelReading): Pick<Classification, 'areas' | 'text'> {
  if (labels.areas.length === 0) return { areas: distinctAreas(title.areas), text: title.text };
  if (!title.looseArea) return { areas: labels.areas, text: title.text };
  const known = new Set(labels.areas.map((area) => area.toLowerCase()));
  const repeats = title.areas.every((area) => known.has(area.toLowerCase()));
  return { areas: labels.areas, text: repeats ? title.text : `${title.areas.join(', ')}: ${title.text}` };
}
