/**
 * Reads the commands in comments on a pull request: `/note`, `/kind`, `/area` and `/highlight`. People with write
 * access decide with them what the notes say about the change.
 */
import { noteCheckMark } from '../../protocol/note-checks.ts';
import type { CommentRecord, RepositoryRecord } from '../../protocol/stored.ts';
import { isWordForNothing } from './body.ts';
import type { ChangeType } from './labels.ts';
import { visibleLines } from './scan.ts';
import { meaningOf } from './title-words.ts';

/** The kinds that a command can name. `internal` is work on the project itself. */
export type CommandKind = ChangeType | 'dependency' | 'internal';

/** The commands that count for a pull request. A field is missing if no comment has such a command. */
export interface Commands {
  /** The text of the release note; null if the change is to be left out. */
  note?: string | null;
  kind?: CommandKind;
  area?: string;
  highlight?: true;
}

const maxAreaLength = 100;
/** The command that leaves out a change, as it is shown as a reason. */
export const skipCommand = '/note none';
const names = 'note|kind|area|highlight';
/** Most comments contain none of these words at the start of a line, so they need not be read. */
const hint = new RegExp(`^ {0,3}/(?:${names})(?![^\\s])`, 'im');
const command = new RegExp(`^ {0,3}/(${names})(?![^\\s])(.*)$`, 'i');

/** Whether a comment may contain a command. The comment of the release note check commands nothing. */
export function mayHaveCommands(body: string): boolean {
  return hint.test(body) && !body.startsWith(noteCheckMark);
}

const none: Commands = {};

/**
 * Returns the commands that count in the comments of a pull request. The last command of each name counts.
 * @param comments the comments, oldest first
 */
export function readCommands(
  comments: readonly Pick<CommentRecord, 'body' | 'author' | 'association'>[],
  repository: Pick<RepositoryRecord, 'owner'>,
): Commands {
  if (comments.length === 0) return none;
  const texts = comments.filter((comment) => mayCommand(comment, repository)).map(({ body }) => commandsIn(body));
  return Object.assign({}, ...texts);
}

/**
 * Returns the commands in a comment. A command is a visible line of its own: in a quotation, in code or in a sentence
 * it does not count. A command that cannot be understood, such as `/kind unicorn`, does not count either.
 */
export function commandsIn(body: string): Commands {
  if (!mayHaveCommands(body)) return none;
  const commands: Commands = {};
  for (const line of visibleLines(body)) {
    const [, name, rest = ''] = command.exec(line) ?? [];
    if (name !== undefined) Object.assign(commands, commandOf(name.toLowerCase(), rest.trim()));
  }
  return commands;
}

function commandOf(name: string, text: string): Commands {
  if (name === 'highlight') return text === '' ? { highlight: true } : {};
  if (text === '') return {};
  if (name === 'area') return { area: text.slice(0, maxAreaLength).toWellFormed() };
  if (name === 'note') return { note: isWordForNothing(text) ? null : text };
  const kind = kindNamed(text);
  return kind ? { kind } : {};
}

function kindNamed(word: string): CommandKind | undefined {
  const meaning = meaningOf(word.toLowerCase());
  switch (meaning) {
    case 'housekeeping':
      return 'internal';
    case 'revert':
    case 'backport':
    case 'plain':
      return undefined;
    default:
      return meaning;
  }
}

const writers: ReadonlySet<unknown> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/**
 * Whether the author of a comment has write access, so that the commands in it count. If the host does not name the
 * relation of the author to the repository, only the owner of the repository is known. Commands of bots do not count.
 */
export function mayCommand(
  { author, association }: Pick<CommentRecord, 'author' | 'association'>,
  { owner }: Pick<RepositoryRecord, 'owner'>,
): boolean {
  if (author.bot || association === undefined) return false;
  if (association !== null) return writers.has(association);
  return author.login.toLowerCase() === owner.login.toLowerCase();
}
