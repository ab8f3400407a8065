/** Names the notes of a draft: repository, version and readers. */
import type { JSX } from 'preact';
import { useLoad } from '../state/load.ts';
import { headOf, rangeOf } from '../state/names.ts';
import { repositoryById } from '../state/repositories.ts';
import { personaWords, rangeName } from '../text/words.ts';

export function DraftName({ draftId }: { draftId: string }): JSX.Element {
  const loaded = useLoad('draft name', async () => {
    const { persona, releaseRangeId } = await headOf(draftId);
    return { persona, range: await rangeOf(releaseRangeId) };
  }, [draftId]);
  if (!loaded.data) return <>{loaded.error ? 'A draft that is gone' : 'A draft'}</>;
  const { persona, range } = loaded.data;
  const repository = repositoryById.value.get(range.repoId)?.fullName ?? '';
  return (
    <>
      {`${repository} ${rangeName(range)}`.trim()}, {personaWords[persona].name.toLowerCase()}
    </>
  );
}
