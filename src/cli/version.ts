/** `tidings version REPO`: prints the version that the changes since the newest release suggest for the next release. */
import type { SuggestedVersion } from '../protocol/notes.ts';
import { withService } from './connection.ts';
import { type UnreleasedChoice, unreleasedOf } from './draft-making.ts';
import { printJson } from './json.ts';
import { printLines, printMessage } from './print.ts';
import { findRepository } from './repository.ts';
import type { versionEntry } from './table/notes.ts';
import type { unreleasedOptions } from './table/options.ts';
import { NotFoundError, type Run, type Values } from './usage.ts';

/** Returns the choice that the options make. */
export function choiceOf({ branch, tags, prereleases }: Values<typeof unreleasedOptions>): UnreleasedChoice {
  return {
    ...(branch !== undefined && { branch }),
    ...(tags !== undefined && { tagPattern: tags }),
    ...(prereleases && { prereleases }),
  };
}

export const runVersion: Run<typeof versionEntry> = ({ json, ...given }, [wanted = '']) =>
  withService(async (context) => {
    const { id, fullName } = findRepository(context.readers, wanted);
    const unreleased = await unreleasedOf(context, id, choiceOf(given));
    if (json) return printJson(unreleased);
    const { suggestedVersion: suggested, since } = unreleased;
    const start = since === null ? 'its beginning' : since.tag;
    if (suggested.bump === 'none') throw new NotFoundError(`${fullName} has no changes to release since ${start}.`);
    if (suggested.version === null) throw new NotFoundError(`The tags of ${fullName} do not contain versions.`);
    printLines([suggested.version]);
    printMessage(`${suggested.bump} since ${start}: ${reasonsOf(suggested)}`);
    return 0;
  });

function reasonsOf({ because }: SuggestedVersion): string {
  const names = because.map(({ number, sha, kind }) => {
    const change = number === undefined ? sha?.slice(0, 7) : `#${number}`;
    return change === undefined ? kind : `${change} ${kind}`;
  });
  return names.join(', ') || 'no change has an entry in the notes';
}
