#!/usr/bin/env node
/**
 * The program `tidings`: runs a command of the command line, and converts an expected failure to one readable message
 * and an exit code.
 */
import { runCommandLine } from './cli/command-line.ts';
import { exitCodeOf, exitWith, letReaderLeave } from './cli/exit.ts';
import { keepFilesPrivate } from './foundation/private-files.ts';
import { terminalText } from './foundation/visible-text.ts';

keepFilesPrivate();
letReaderLeave();
try {
  // A handle that is still open, such as an incomplete connection, must not keep the process running.
  await exitWith(await runCommandLine(process.argv.slice(2)));
} catch (error) {
  const { name: kind, message, stack } = error as Error;
  const expected =
    /^(UsageError|NotFoundError|ConflictError|SettingsError|ServiceError|DataDirError|NatsServerError|PortError|JournalSetupError|ChildError|ClusterError)$/.test(
      kind,
    ) || kind === 'Error';
  const lines = String(expected ? message : stack).split('\n');
  process.stderr.write(`${lines.map(terminalText).join('\n')}\n`);
  await exitWith(exitCodeOf(error));
}
