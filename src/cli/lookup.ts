/** Finds commands and their actions by name. For an unknown name, the error suggests the most similar known name. */
import { didYouMean } from '../../config/nearest.ts';
import { type CliAction, type CliCommand, UsageError } from './usage.ts';

/** The table of commands. */
export type Commands = Readonly<Record<string, CliCommand>>;

/**
 * Finds a command by its name.
 * @param others further names that the error may suggest
 * @throws UsageError for an unknown command
 */
export function commandNamed(commands: Commands, name: string, others: readonly string[] = []): CliCommand {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command;
  const [kind, names] = name.startsWith('-')
    ? ['option', ['--help', '--version']]
    : (['command', [...Object.keys(commands), ...others]] as const);
  throw new UsageError(`There is no ${kind} ${JSON.stringify(name)}.${didYouMean(name, names)} Run: tidings help`);
}

/** Whether a command has only one action, which has no name of its own. */
export function isSingle({ actions }: CliCommand): boolean {
  return '' in actions;
}

/**
 * Finds an action of a command by the name of the action.
 * @throws UsageError for an unknown action
 */
export function actionNamed(name: string, { actions }: CliCommand, word = ''): CliAction {
  const found = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (found) return found;
  const words = Object.keys(actions);
  const list = [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' or ');
  const got = word === '' ? '.' : `, got ${JSON.stringify(word)}.${didYouMean(word, words)}`;
  throw new UsageError(`Expected: tidings ${name} ${list}${got} Run: tidings help ${name}`);
}
