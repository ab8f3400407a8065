/**
 * How commands read their arguments and complain about them.
 */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A command line that cannot be carried out; the message says what was expected. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** One command: a line of help, and what it does. It returns the exit code. */
export interface CliCommand {
  usage: string;
  help: string;
  run: (args: string[]) => Promise<number>;
}

/**
 * Reads options and positional arguments.
 * @throws UsageError for an unknown option or a missing value
 */
export function readArgs<T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
