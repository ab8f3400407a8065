/**
 * Connects the lines of a draft with their changes. A hidden comment in the line names the change, and the service says
 * why the change is listed and what is wrong with the line.
 */
import { useMemo, useRef } from 'preact/hooks';
import type { Draft, DraftEntry, Range } from '../../../sdk/index.ts';
import { allOf, useLoad } from '../../state/load.ts';
import { api } from '../../state/session.ts';
import { conflictReason, outdatedReasons } from '../../text/words.ts';

const marker = /<!-- rn:(?:gone )?(pr:\d{1,10}(?:\.\d{1,4})?|issue:\d{1,10}|commit:[0-9a-f]{7,40})(?= )/;

/** A change that a line of the draft is about. */
export interface Mark {
  /** Number or short hash. */
  label: string;
  kind: 'pr' | 'issue' | 'commit';
  /** Number of the pull request or issue, or hash of the commit. */
  name: string;
  /** Address on the host; undefined if it is not known. */
  href: string | undefined;
  entry: DraftEntry | undefined;
  /** Faults of the line, each in one sentence. */
  warnings: readonly string[];
}

export interface Marks {
  /** Returns the change that a line of the text is about. Equal ids give the same object until the data changes. */
  markOf: (id: string) => Mark;
}

/** Returns the id of the change in the marker of a line. */
export function idIn(line: string): string | undefined {
  return line.includes('<!-- rn:') ? marker.exec(line)?.[1] : undefined;
}

/** Loads what is known about the entries of a draft. It is loaded again when the text has changed. */
export function useMarks(draft: Draft, range: Range): Marks {
  const { id: draftId, bodyMd, conflicts, outdatedBecause } = draft;
  const named = useMemo(() => [...new Set(bodyMd.split('\n').flatMap((line) => idIn(line) ?? []))], [bodyMd]);
  const reasons = JSON.stringify(outdatedBecause);
  const { data } = useLoad(
    'entries',
    (signal) => allOf(api().each('listDraftEntries', { draftId, limit: 100 }, { signal })),
    [draftId, named.join(), reasons, draft.revision],
  );
  const hostUrl = range.compareUrl?.replace(/\/compare\/.*$/, '');
  // While the next entries load, the earlier ones stay.
  const last = useRef<readonly DraftEntry[]>([]);
  const entries = data ?? last.current;
  last.current = entries;
  const markOf = useMemo(() => {
    const known = new Map(entries.map((entry) => [entry.marker, entry]));
    const made = new Map<string, Mark>();
    const make = (id: string): Mark => {
      const [kind, rest = ''] = id.split(':') as [Mark['kind'], string?];
      const name = kind === 'commit' ? rest : rest.replace(/\..*$/, '');
      const entry = known.get(id);
      const numbers: readonly number[] = entry?.numbers ?? (kind === 'commit' ? [] : [Number(name)]);
      const shas = entry?.shas ?? (kind === 'commit' ? [name] : []);
      const isAbout = (number?: number | null, sha?: string | null): boolean =>
        (number != null && numbers.includes(number)) || (sha != null && shas.some((each) => each.startsWith(sha)));
      return {
        label: kind === 'commit' ? name.slice(0, 7) : `#${name}`,
        kind,
        name,
        href: hostUrl && `${hostUrl}/${kind === 'commit' ? 'commit' : 'issues'}/${name}`,
        entry,
        warnings: [
          ...conflicts.filter((each) => each.id === id).map(conflictReason),
          ...outdatedBecause.filter(({ number, sha }) => isAbout(number, sha)).map((each) => outdatedReasons([each])),
        ],
      };
    };
    return (id: string): Mark => {
      const mark = made.get(id) ?? make(id);
      made.set(id, mark);
      return mark;
    };
  }, [entries, hostUrl, JSON.stringify(conflicts), reasons]);
  return { markOf };
}
