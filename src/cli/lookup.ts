/**
 * Finds commands and their actions by name, and says what a wrong name was probably meant to be.
 */
import { didYouMean } from '../../config/nearest.ts';
import { type CliAction, type CliCommand, UsageError } from './usage.ts';

/** The table of commands. */
export type Commands = Readonly<Record<string, CliCommand>>;

/** @throws UsageError when there is no such command */
export function commandNamed(commands: Commands, name: string): CliCommand {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command;
  const [kind, names] = name.startsWith('-')
    ? ['option', ['--help', '--version']]
    : (['command', Object.keys(commands)] as const);
  throw new UsageError(`There is no ${kind} ${JSON.stringify(name)}.${didYouMean(name, names)} Run: tidings help`);
}

/** Whether a command has no further words. */
export function isSingle({ actions }: CliCommand): boolean {
  return '' in actions;
}

/**
 * The action of a command that a word names.
 * @throws UsageError when there is no such action
 */
export function actionNamed(name: string, { actions }: CliCommand, word = ''): CliAction {
  const found = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (found) return found;
  const words = Object.keys(actions);
  const list = [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' or ');
  const got = word === '' ? '.' : `, got ${JSON.stringify(word)}.${didYouMean(word, words)}`;
  throw new UsageError(`Expected: tidings ${name} ${list}${got} Run: tidings help ${name}`);
}
