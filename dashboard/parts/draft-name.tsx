/** Names notes: the repository and version of a range, and the readers of a draft. */
import type { JSX } from 'preact';
import { NotFoundError, type Range } from '../../sdk/index.ts';
import { useLoad } from '../state/load.ts';
import { aboutRanges, headOf, rangeOf } from '../state/names.ts';
import { repositoryById } from '../state/repositories.ts';
import { mayUse } from '../state/session.ts';
import { personaWords, rangeName } from '../text/words.ts';

export function DraftName({ draftId }: { draftId: string }): JSX.Element {
  const loaded = useLoad(
    'draft name',
    async () => {
      const { persona, releaseRangeId } = await headOf(draftId);
      return { persona, range: mayUse('ranges:read') ? await rangeOf(releaseRangeId) : undefined };
    },
    [draftId],
    aboutRanges,
  );
  if (!loaded.data) return <>{loaded.error instanceof NotFoundError ? 'A draft that is gone' : 'A draft'}</>;
  const { persona, range } = loaded.data;
  return (
    <>
      {range ? nameOf(range) : 'Notes'}, {personaWords[persona].name.toLowerCase()}
    </>
  );
}

export function RangeName({ rangeId }: { rangeId: string }): JSX.Element {
  const { data } = useLoad('range name', () => rangeOf(rangeId), [mayUse('ranges:read') ? rangeId : null], aboutRanges);
  return <>{data ? nameOf(data) : 'Notes'}</>;
}

function nameOf(range: Range): string {
  const repository = repositoryById.value.get(range.repoId)?.fullName ?? '';
  return `${repository} ${rangeName(range)}`.trim();
}
