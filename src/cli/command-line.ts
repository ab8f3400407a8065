/**
 * Carries out a command line: finds its command in the table, and answers requests for help and for the version.
 */
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
 * @throws UsageError with the way to the help
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
  return guided(full, () => {
    const { values, args: given } = readArguments(full, action, rest);
    return action.run(values, given);
  });
}

/** After `--` nothing is an option. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h');
}

/** Adds the way to the help to what is wrong with a command line. */
async function guided(name: string, run: () => Promise<number>): Promise<number> {
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
