/**
 * Classifies a change: its section, its areas, its priority, and whether it is breaking. Reverts and backports depend on
 * records of other changes, so they are handled in other files.
 */
import type { KindBy } from '../../protocol/notes.ts';
import type { IssueRecord } from '../../protocol/stored.ts';
import { advisoryIds, advisoryLines, referenceLines } from './advisories.ts';
import { announcesBreaking } from './body.ts';
import type { CommandKind, Commands } from './commands.ts';
import { isUpdate, isUpdater, ownWords } from './dependencies.ts';
import { fixText } from './fix-text.ts';
import { type Decision, decideByCommand, decideKind } from './kinds.ts';
import {
  type ChangeType,
  distinctAreas,
  type LabelReading,
  type ListedType,
  listedTypes,
  plainWords,
  readLabels,
  type Vocabulary,
} from './labels.ts';
import { mayBreak } from './leading-words.ts';
import type { NoteItem } from './note.ts';
import type { ChangeRecord } from './record.ts';
import { isRelease, isRoutine, isTranslation } from './routine.ts';
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

/** The classification of a change. */
export interface Classification {
  section: Section;
  kind: 'change' | 'dependency' | 'revert' | 'release' | 'routine';
  /** The source that decided the kind; null if no source names one. */
  kindBy: KindBy | null;
  breaking: boolean;
  /** Whether the words announce a removal or the like, but nothing marks the change as breaking. */
  mayBreak: boolean;
  /** The kind that a breaking change has besides `breaking`, for example `fix`; null if the change has no such kind. */
  besides: ChangeType | null;
  areas: string[];
  /** Issue keys and issue numbers in the title, and public ids of security problems that only the body names. */
  keys: string[];
  priority: boolean;
  /** Whether a label or a command asks to list the change among the highlights. */
  highlight: boolean;
  /** Whether the change is work on the project itself, which users do not notice. */
  housekeeping: boolean;
  /** The label that keeps the change out of the notes. */
  skip: string | null;
  /** The title without its prefixes, not yet escaped. */
  text: string;
}

/** What is known about a change besides its own record. Every field is optional. */
export interface ClassifyOptions {
  vocabulary?: Vocabulary;
  /** Labels to use instead of the labels of the change. */
  labels?: readonly string[];
  /** The statement of the release note that is listed for the change. */
  note?: NoteItem;
  /** Whether labels say nothing about the kind, because the change has several statements with kinds of their own. */
  ignoresKindLabels?: boolean;
  /** The commands in comments on the change. They outweigh all other sources. */
  commands?: Commands;
  /** Returns the subjects of the commits that were squashed into the change. */
  subjects?: () => string[];
  /** Whether the leading words of the title may decide the kind. True by default. */
  readsVerbs?: boolean;
}

/**
 * Classifies a change. `kinds.ts` has the order of the sources. If the title or body marks the change as breaking, no
 * label can undo that mark.
 */
export function classify(
  record: ChangeRecord,
  linkedIssues: readonly IssueRecord[],
  options: ClassifyOptions = {},
): Classification {
  const { vocabulary, note, subjects = none, readsVerbs = true, commands = {} } = options;
  const title = parseTitle(record.title);
  const labels = withCommands(readLabels(options.labels ?? record.labels, vocabulary), options);
  const kind = commands.kind ? kindOfCommand(commands.kind) : kindOf(record, title, labels);
  const verbs = readsVerbs && kind === 'change';
  const body = ownWords(record);
  const decision = commands.kind
    ? decideByCommand(commands.kind)
    : decideKind({ record, body, title, labels, note, linkedIssues, vocabulary, subjects, readsVerbs: verbs });
  const { types } = decision;
  const isMarked = title.breaking || types.has('breaking') || (note?.breaking ?? false);
  const breaking = commands.kind
    ? commands.kind === 'breaking'
    : isMarked || (announcesBreaking(body) && !isRelease(title));
  const section = sectionOf(kind, breaking, decision, labels);
  const { areas, text } = areasOf(title, labels, note);
  return {
    section,
    kind: kind === 'dependency' && section !== 'dependency' ? 'change' : kind,
    kindBy: decision.by,
    breaking,
    mayBreak: !breaking && !decision.inside && !commands.kind && mayBreak(title.text),
    besides: breaking ? (firstOf(types) ?? null) : null,
    areas,
    keys: decision.by === 'advisory' ? [...title.keys, ...idsBeside(record.title, body)] : title.keys,
    priority: labels.priority,
    highlight: labels.highlight,
    housekeeping: section === 'other' && (decision.inside || isTranslation(title)),
    skip: labels.skip,
    text,
  };
}

/** Returns the labels of a change without what commands decide, or what the statements of its release note decide. */
function withCommands(reading: LabelReading, { commands = {}, ignoresKindLabels }: ClassifyOptions): LabelReading {
  const { kind, area, highlight } = commands;
  const named =
    area === undefined && !highlight ? reading : { ...reading, highlight: reading.highlight || !!highlight };
  if (area !== undefined) named.areas = [area];
  if (!kind && !ignoresKindLabels) return named;
  const kinds = { specTypes: new Set<never>(), aliasTypes: new Set<never>() };
  return { ...named, ...kinds, ...(kind && { dependencies: false, housekeeping: false }) };
}

function kindOfCommand(kind: CommandKind): Classification['kind'] {
  return kind === 'dependency' ? 'dependency' : 'change';
}

/** Returns the public ids that the body of a security change names and its title does not. */
function idsBeside(title: string, body: string): string[] {
  const inTitle = new Set(advisoryIds(title));
  return advisoryIds(`${advisoryLines(body)}\n${referenceLines(body)}`).filter((id) => !inTitle.has(id));
}

function none(): string[] {
  return [];
}

function kindOf(record: ChangeRecord, title: ParsedTitle, labels: LabelReading): Classification['kind'] {
  // If a label such as `type: fix` names a kind, the pull request does more than make a release or merge a branch.
  if (labels.specTypes.size === 0 && isRelease(title)) return 'release';
  if (labels.specTypes.size + labels.aliasTypes.size === 0 && isRoutine(title)) return 'routine';
  if (title.revert || /^revert ["“'`]/i.test(title.text)) return 'revert';
  if (labels.dependencies || isUpdater(record.author.login)) return 'dependency';
  if ((record.author.bot || title.dependency) && isUpdate(title.text)) return 'dependency';
  return 'change';
}

/**
 * Returns the section of a change. A label that names a kind moves a dependency update out of the section for
 * dependencies, and so does the public id of a security problem. A prefix such as `fix(deps):` leaves the update there.
 */
function sectionOf(
  kind: Classification['kind'],
  breaking: boolean,
  { types, by }: Decision,
  labels: LabelReading,
): Section {
  if (breaking) return 'breaking';
  const named = labels.specTypes.size + labels.aliasTypes.size > 0 || by === 'advisory';
  if (kind === 'dependency' && !named) return 'dependency';
  return firstOf(types) ?? 'other';
}

/** Returns the kind whose section comes first. `breaking` has a section of its own and is not returned. */
function firstOf(types: ReadonlySet<ChangeType>): ListedType | undefined {
  for (const type of listedTypes) if (types.has(type)) return type;
  return undefined;
}

/**
 * Returns the areas of a change and the text of its title. Area labels take precedence over areas in the release note,
 * which take precedence over areas in the title. Example: the title `parser: Add x` with the area label `core` keeps
 * the text `parser: Add x`. With the area label `parser` or `sql-parser`, the text is `Add x`, because the label already
 * names the area.
 */
function areasOf(
  title: ParsedTitle,
  labels: LabelReading,
  note: NoteItem | undefined,
): Pick<Classification, 'areas' | 'text'> {
  const text = fixText(title);
  const named = labels.areas.length > 0 ? labels.areas : distinctAreas(note?.areas ?? []);
  if (named.length === 0) return { areas: distinctAreas(title.areas), text };
  if (!title.looseArea) return { areas: named, text };
  const known = named.map((area) => ` ${plainWords(area)} `);
  const repeats = title.areas.every((area) => known.some((words) => words.includes(` ${plainWords(area)} `)));
  return { areas: named, text: repeats ? text : `${title.areas.join(', ')}: ${text}` };
}
