/**
 * `tidings repos settings`: shows the notes settings of a repository. If a JSON file is given, replaces the settings
 * with those in the file, as the API does.
 */
import { readFileSync } from 'node:fs';
import { type ApiContext, partitionOfId, readPartition, runCommand } from '../api/context.ts';
import { toSettings } from '../api/settings.ts';
import type { NotesSettings } from '../protocol/notes.ts';
import { readSettings } from '../store/tables/settings.ts';
import { printText } from './print.ts';
import { findRepository } from './repository.ts';
import { UsageError } from './usage.ts';

/**
 * Prints the settings of a repository. If `file` is given, first replaces the settings by the content of the file.
 * @throws UsageError when the file is not valid JSON, or ServiceError with a list of the faults in the settings
 */
export async function showSettings(context: ApiContext, wanted: string, file: string | undefined): Promise<number> {
  const { id: repoId } = findRepository(context.readers, wanted);
  const name = partitionOfId(context, repoId) as string;
  const settings = file === undefined ? readSettings(readPartition(context, name), repoId) : readFile(file);
  if (file !== undefined) await runCommand(context, name, { name: 'putSettings', repoId, settings });
  printText(JSON.stringify(settings, null, 2));
  return 0;
}

function readFile(file: string): NotesSettings {
  try {
    return toSettings(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} is not valid JSON: ${error.message}`);
    throw error;
  }
}
