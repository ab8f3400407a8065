/** Runs a command line: finds the command in the table, and answers `--help` and `--version`. */
import { version } from '../foundation/version.ts';
import { commands } from './commands.ts';
import { helpOf, overview } from './help.ts';
import { actionNamed, commandNamed, isSingle } from './lookup.ts';
import { readArguments } from './parse.ts';
import { printText } from './print.ts';
import { UsageError } from './usage.ts';

/**
 * Runs a command line to its end.
 * @returns the exit code
 * @throws UsageError for a wrong command line; its message names the command that shows the help
 */
export async function runCommandLine([name = '--help', ...args]: readonly string[]): Promise<number> {
  if (name === '--version') return print(`tidings ${version}`);
  if (name === '--help' || name === '-h') return print(overview(commands));
  const command = commandNamed(commands, name);
  const [first = '', ...others] = args;
  if (asksForHelp(args))
    return print(
      helpOf(
        name,
        command,
        Object.keys(command.actions).find((word) => word === first),
      ),
    );
  const [word, rest] = isSingle(command) ? ['', args] : [first, others];
  const action = actionNamed(name, command, word);
  const full = `${name} ${word}`.trim();
  return withHelpHint(full, () => {
    const { values, args: given } = readArguments(full, action, rest);
    return action.run(values, given);
  });
}

/** Whether the arguments request the help. Arguments after `--` are not options. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h');
}

/**
 * Runs a step of a command. If the step throws a usage error, the thrown message also names the command that shows the
 * help.
 */
async function withHelpHint(name: string, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof UsageError) || error.message.includes(' Run: ')) throw error;
    throw new UsageError(`${error.message}${/[.?!]$/.test(error.message) ? '' : '.'} Run: tidings help ${name}`);
  }
}

function print(text: string): number {
  printText(text);
  return 0;
}
