/**
 * Finds the files that contain a text, in a folder and its subfolders, like `grep -a -r -l`. Binary files are searched
 * too. A running service may add and remove files during the search.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the paths, relative to `folder`, of the files that contain `text`. */
export function filesWith(folder: string, text: string): string[] {
  const bytes = Buffer.from(text);
  return filesIn(folder, '').filter((name) => unlessGone(() => readFileSync(join(folder, name)))?.includes(bytes));
}

function filesIn(folder: string, at: string): string[] {
  const entries = unlessGone(() => readdirSync(join(folder, at), { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const name = join(at, entry.name);
    if (entry.isDirectory()) return filesIn(folder, name);
    return entry.isFile() ? [name] : [];
  });
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
