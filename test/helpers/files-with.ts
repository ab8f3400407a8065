/**
 * Which files of a folder hold some bytes, whatever kind of file it is: what `grep -a -r -l` would find.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Paths inside `folder` of the files that hold `text`. */
export function filesWith(folder: string, text: string): string[] {
  const bytes = Buffer.from(text);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() && readFileSync(path).includes(bytes);
  });
}
