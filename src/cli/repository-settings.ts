/**
 * `tidings repos settings`: shows how a repository wants its notes, or puts what a JSON file says, as the API does.
 */
import { readFileSync } from 'node:fs';
import { type ApiContext, carryOut, partitionOfId, readPartition } from '../api/context.ts';
import { toSettings } from '../api/settings.ts';
import type { NotesSettings } from '../protocol/notes.ts';
import { readSettings } from '../store/tables/settings.ts';
import { printText } from './print.ts';
import { findRepository } from './repository.ts';
import { UsageError } from './usage.ts';

/**
 * Shows the settings of a repository, those of `file` when there is one.
 * @throws UsageError when the file holds no JSON, ServiceError naming each fault in it
 */
export async function showSettings(context: ApiContext, wanted: string, file: string | undefined): Promise<number> {
  const { id: repoId } = findRepository(context.readers, wanted);
  const name = partitionOfId(context, repoId) as string;
  const settings = file === undefined ? readSettings(readPartition(context, name), repoId) : readFile(file);
  if (file !== undefined) await carryOut(context, name, { name: 'putSettings', repoId, settings });
  printText(JSON.stringify(settings, null, 2));
  return 0;
}

function readFile(file: string): NotesSettings {
  try {
    return toSettings(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} holds no JSON: ${error.message}`);
    throw error;
  }
}
