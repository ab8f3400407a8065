/**
 * Decides the kind of a change: feature, fix, security and so on. Several sources can name the kind. The strongest
 * source that names one decides, and the result says which source that was.
 */
import type { KindBy } from '../../protocol/notes.ts';
import type { IssueRecord } from '../../protocol/stored.ts';
import { namesProblem, repairsSecurity, silencesReport } from './advisories.ts';
import { tickedBoxes } from './boxes.ts';
import type { CommandKind } from './commands.ts';
import { type ChangeType, type LabelReading, readLabels, type Vocabulary } from './labels.ts';
import { isInsideText, kindOfWords } from './leading-words.ts';
import type { NoteItem } from './note.ts';
import type { ChangeRecord } from './record.ts';
import { sharedMeaning } from './scopes.ts';
import { type ParsedTitle, parseTitle } from './title.ts';
import { meaningOf } from './title-words.ts';

/** The kinds of a change, and the source that decided. `by` is null if no source names a kind. */
export interface Decision {
  types: ReadonlySet<ChangeType>;
  /** Whether the change is work on the project itself, which users do not notice. */
  inside: boolean;
  by: KindBy | null;
}

/** Everything that can name the kind of a change. The subjects are costly to read, so a function reads them. */
export interface KindSources {
  record: ChangeRecord;
  /** The body, if people of the project wrote it (`ownWords`). */
  body: string;
  title: ParsedTitle;
  labels: LabelReading;
  /** The statement of the release note that is listed for the change. */
  note: NoteItem | undefined;
  linkedIssues: readonly IssueRecord[];
  vocabulary: Vocabulary | undefined;
  /** Subjects of the commits that were squashed into the change, oldest first. */
  subjects: () => string[];
  /** Whether the leading words of the title may decide, if nothing else does. */
  readsVerbs: boolean;
}

const noTypes: ReadonlySet<ChangeType> = new Set();
/**
 * Maps each kind to a set that contains only this kind. Most changes have one kind, so these sets are not made again
 * for each change.
 */
const alone: Record<ChangeType, ReadonlySet<ChangeType>> = {
  breaking: new Set(['breaking']),
  feature: new Set(['feature']),
  fix: new Set(['fix']),
  security: new Set(['security']),
  performance: new Set(['performance']),
  documentation: new Set(['documentation']),
};
const undecided: Decision = { types: noTypes, inside: false, by: null };

/**
 * Decides the kind of a change. The sources, strongest first, are: labels, public ids of security problems, the release
 * note, the prefix of the title, labels for inside work or dependencies, the prefixes of squashed commits, labels of
 * linked issues, boxes in the body, the name of the branch, and the leading words of the title or of the release note.
 */
export function decideKind(sources: KindSources): Decision {
  const { title, labels } = sources;
  if (labels.specTypes.size + labels.aliasTypes.size > 0) return byLabels(title, labels);
  return byText(sources) ?? byPrefix(title) ?? byWeakLabels(labels) ?? byRest(sources) ?? undecided;
}

/** Returns the kind that a command in a comment names. */
export function decideByCommand(kind: CommandKind): Decision {
  const types = kind === 'dependency' || kind === 'internal' ? noTypes : alone[kind];
  return { types, inside: kind === 'internal', by: 'command' };
}

/**
 * Returns the kinds of the strongest labels: labels of the spec, else other labels. If any label or the title says that
 * the change is breaking, returns the kinds of all sources together.
 */
function byLabels(title: ParsedTitle, labels: LabelReading): Decision {
  const prefix = new Set<ChangeType>(title.type ? [title.type] : []);
  if (labels.specTypes.has('breaking') || labels.aliasTypes.has('breaking')) prefix.add('breaking');
  const spoken = [labels.specTypes, labels.aliasTypes, prefix].filter((types) => types.size > 0);
  const breaks = spoken.some((types) => types.has('breaking'));
  const types = breaks ? new Set(spoken.flatMap((each) => [...each])) : (spoken[0] as ReadonlySet<ChangeType>);
  return { types, inside: false, by: 'label' };
}

/** Reads public ids of security problems, then the kind that a release note names. */
function byText(sources: KindSources): Decision | undefined {
  const { title, note } = sources;
  if (isAboutSecurity(sources)) return { types: alone.security, inside: false, by: 'advisory' };
  if (silencesReport(title.text)) return { types: noTypes, inside: true, by: 'advisory' };
  if (note?.type) return { types: alone[note.type], inside: false, by: 'note' };
  return note?.housekeeping ? { types: noTypes, inside: true, by: 'note' } : undefined;
}

function isAboutSecurity({ record, body, title, note }: KindSources): boolean {
  if (note && repairsSecurity(note.markdown)) return true;
  // Few titles and bodies name a security problem, so this is checked first.
  if (!repairsSecurity(record.title) && !namesProblem(body, () => (title.type ?? kindOfWords(title.text)) === 'fix'))
    return false;
  const isInside = title.type === 'documentation' || sharedMeaning(title.areas) !== undefined;
  return !isInside && !isInsideText(title.text);
}

/** Reads the prefix of the title. An area for developers or for documentation outweighs the kind: `fix(test): …`. */
function byPrefix(title: ParsedTitle): Decision | undefined {
  const scope = title.areas.length === 0 ? undefined : sharedMeaning(title.areas);
  if (scope === 'documentation') return { types: alone.documentation, inside: false, by: 'prefix' };
  if (scope === 'inside') return { types: noTypes, inside: true, by: 'prefix' };
  if (title.type) return { types: alone[title.type], inside: false, by: 'prefix' };
  return title.housekeeping || title.dependency ? { types: noTypes, inside: true, by: 'prefix' } : undefined;
}

/** Reads labels that name no section but say that the change is inside work or an update. */
function byWeakLabels(labels: LabelReading): Decision | undefined {
  return labels.housekeeping || labels.dependencies ? { types: noTypes, inside: true, by: 'label' } : undefined;
}

function byRest(sources: KindSources): Decision | undefined {
  return bySubject(sources) ?? byIssues(sources) ?? byBoxes(sources) ?? byBranch(sources) ?? byVerb(sources);
}

/**
 * Reads the prefix of the first squashed commit, which often repeats the words of the title with a prefix. A branch can
 * begin with inside work, such as a failing test. Then a later commit decides if the words of the title show its kind.
 */
function bySubject({ subjects, title }: KindSources): Decision | undefined {
  const [first, ...later] = subjects();
  const decision = first === undefined ? undefined : byPrefix(parseTitle(first));
  if (!decision?.inside) return decision;
  const shown = kindOfWords(title.text);
  const others = later.map((subject) => byPrefix(parseTitle(subject)));
  return others.find((other) => shown && shown !== 'inside' && other?.types.has(shown)) ?? decision;
}

function byIssues({ linkedIssues, vocabulary }: KindSources): Decision | undefined {
  const issues = linkedIssues.map((issue) => readLabels(issue.labels, vocabulary));
  const spec = new Set(issues.flatMap(({ specTypes }) => [...specTypes]));
  const types = spec.size > 0 ? spec : new Set(issues.flatMap(({ aliasTypes }) => [...aliasTypes]));
  return types.size === 0 ? undefined : { types, inside: false, by: 'issue' };
}

function byBoxes({ body }: KindSources): Decision | undefined {
  const ticked = tickedBoxes(body);
  return ticked && { types: ticked.types, inside: ticked.types.size === 0, by: 'box' };
}

/** Matches a branch such as `fix/login`, also after the name of its owner: `ada/fix/login`. */
const branch =
  /^(?:[\w.-]{1,40}\/)?(feat|feature|features|enhancement|fix|fixes|bug|bugs|bugfix|bug-fix|hotfix|perf|performance|docs?|documentation|security|chore|ci|tests?|testing|refactor|refactoring|build|style|cleanup)\//i;

function byBranch({ record }: KindSources): Decision | undefined {
  const word = branch.exec(record.headRef ?? '')?.[1];
  const meaning = word === undefined ? undefined : meaningOf(singular(word));
  if (meaning === 'housekeeping') return { types: noTypes, inside: true, by: 'branch' };
  return meaning && meaning in alone ? { types: alone[meaning as ChangeType], inside: false, by: 'branch' } : undefined;
}

function singular(word: string): string {
  return /^(?:features|bugs)$/i.test(word) ? word.slice(0, -1) : word;
}

/** Reads the leading words of the title, else those of the release note: `Fixed a delay after two edits`. */
function byVerb({ title, note, readsVerbs }: KindSources): Decision | undefined {
  if (!readsVerbs) return undefined;
  const kind = kindOfWords(title.text) ?? kindOfNote(note);
  if (kind === undefined) return undefined;
  return { types: kind === 'inside' ? noTypes : alone[kind], inside: kind === 'inside', by: 'verb' };
}

/** Returns the kind that the leading words of a release note show. Users read notes, so a note is never inside work. */
function kindOfNote(note: NoteItem | undefined): ChangeType | undefined {
  const kind = note && kindOfWords(note.markdown.split('\n', 1)[0] ?? '');
  return kind === 'inside' ? undefined : kind;
}
