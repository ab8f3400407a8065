/** The releases of a repository: its tags, and what has been written and published for each. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Publication, Range, Tag } from '../../../sdk/index.ts';
import { Empty, Pill, Shown } from '../../parts/feedback.tsx';
import { Needs } from '../../parts/scopes.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useFilledPage } from '../../state/filled-page.ts';
import { useLoad } from '../../state/load.ts';
import type { ListedDraft } from '../../state/names.ts';
import { api, mayUse, type Scope } from '../../state/session.ts';
import { channelWords, personas, personaWords, rangeName, rangeStart } from '../../text/words.ts';

const pageSize = 50;
/** Maximum number of ranges, of drafts and of publications that are read for a page. */
const maxRead = 500;
const nothing = { items: [], isAll: true };
const draftScopes: readonly Scope[] = ['ranges:read', 'drafts:read'];

/** A tag, or a range that no tag ends, with the drafts for it. */
interface Release {
  id: string;
  name: string;
  start: string;
  at: string;
  drafts: readonly ListedDraft[];
  published: readonly Publication[];
}

/** @param onWrite begins notes for a tag; undefined if the key may not write notes */
export function Releases({
  repoId,
  onWrite,
}: {
  repoId: string;
  onWrite: ((tag: string) => void) | undefined;
}): JSX.Element {
  const [offset, setOffset] = useState(0);
  // Ranges connect drafts with tags.
  const maySeeDrafts = mayUse(...draftScopes);
  const loaded = useLoad(
    'releases',
    async (signal) => {
      const newest = { repoId, limit: 100, sort: 'createdAt', order: 'desc' } as const;
      const texts = { repoId, limit: 100, view: 'summary' } as const;
      const done = { ...newest, status: 'completed' } as const;
      const [tags, ranges, drafts, publications] = await Promise.all([
        api().listRepositoryTags({ repoId, limit: pageSize, offset }, { signal }),
        maySeeDrafts ? firstOf(api().each('listRanges', newest, { signal })) : nothing,
        maySeeDrafts ? firstOf(api().each('listDrafts', texts, { signal })) : nothing,
        maySeeDrafts ? firstOf(api().each('listPublications', done, { signal })) : nothing,
      ]);
      const releases = releasesOf(tags.tags, ranges.items, drafts.items, publications.items);
      const knowsDrafts = ranges.isAll && drafts.isAll;
      return {
        releases: offset === 0 ? releases : releases.filter(({ id }) => !id.startsWith('range_')),
        tags,
        knows: { drafts: knowsDrafts, publications: knowsDrafts && publications.isAll },
      };
    },
    [repoId, offset],
    { events: ['repo.event', 'range.counts', 'draft.status', 'publication.status'], repoId },
  );
  useFilledPage(loaded.data?.tags.tags.length, offset, pageSize, setOffset);
  return (
    <Shown of={loaded}>
      {({ releases, tags, knows }) =>
        releases.length === 0 ? (
          <Empty title="There is no release yet.">
            <p>Tags appear here when they are pushed. Notes can be written before the first tag.</p>
          </Empty>
        ) : (
          <>
            <Table
              columns={['Release', 'Date', ...(maySeeDrafts ? ['Drafts', 'Published'] : [])]}
              pages={{ offset, shown: tags.tags.length, total: tags.total, size: pageSize, onMove: setOffset }}
            >
              {releases.map((release) => (
                <Row key={release.id} release={release} knows={maySeeDrafts && knows} onWrite={onWrite} />
              ))}
            </Table>
            <Needs scopes={draftScopes} to="see the drafts and publications of releases" />
          </>
        )
      }
    </Shown>
  );
}

/** Reads the first items of a list, up to `maxRead`, and whether these are all. */
async function firstOf<T>(items: AsyncIterable<T>): Promise<{ items: readonly T[]; isAll: boolean }> {
  const found: T[] = [];
  for await (const item of items) {
    if (found.length === maxRead) return { items: found, isAll: false };
    found.push(item);
  }
  return { items: found, isAll: true };
}

/** @param knows whether all drafts and all publications were read; false if the key may not see them */
function Row({
  release,
  knows,
  onWrite,
}: {
  release: Release;
  knows: false | { drafts: boolean; publications: boolean };
  onWrite: ((tag: string) => void) | undefined;
}): JSX.Element {
  const { name, start, at, drafts, published } = release;
  const places = [...new Map(published.map((each) => [each.channel, each])).values()];
  return (
    <tr>
      <th scope="row">
        {name} {start !== '' && <span class="faint">{start}</span>}
      </th>
      <td>
        <Time at={at} />
      </td>
      {knows && (
        <>
          <td>
            <span class="row-links">
              {drafts.map((draft) => (
                <Link key={draft.id} href={`/app/drafts/${draft.id}`}>
                  {personaWords[draft.persona].name}
                  {draft.outdated && <span class="faint"> (outdated)</span>}
                </Link>
              ))}
              {drafts.length === 0 && !(knows.drafts && onWrite) && (
                <span class="faint">{knows.drafts ? 'none' : 'not known'}</span>
              )}
              {drafts.length === 0 && knows.drafts && onWrite && (
                <button type="button" class="link" aria-label={`Write notes for ${name}`} onClick={() => onWrite(name)}>
                  Write
                </button>
              )}
            </span>
          </td>
          <td>
            {places.map(({ channel, url }) => (
              <Pill key={channel} tone="good">
                {url === null ? (
                  channelWords[channel].name
                ) : (
                  <a href={url} target="_blank" rel="noreferrer">
                    {channelWords[channel].name}
                  </a>
                )}
              </Pill>
            ))}
            {places.length === 0 && <span class="faint">{knows.publications ? 'not published' : 'not known'}</span>}
          </td>
        </>
      )}
    </tr>
  );
}

function releasesOf(
  tags: readonly Tag[],
  ranges: readonly Range[],
  drafts: readonly ListedDraft[],
  publications: readonly Publication[],
): Release[] {
  const draftsOf = (range: Range): ListedDraft[] =>
    personas.flatMap((persona) =>
      drafts.filter((draft) => draft.releaseRangeId === range.id && draft.persona === persona),
    );
  const publishedOf = (own: readonly ListedDraft[]): Publication[] =>
    publications.filter(({ draftId }) => own.some(({ id }) => id === draftId));
  const tagNames = new Set(tags.map(({ name }) => name));
  const other = ranges
    .filter(({ type, toTag }) => type === 'UNRELEASED' || !toTag || !tagNames.has(toTag))
    .map((range) => ({ range, own: draftsOf(range) }))
    .filter(({ own }) => own.length > 0)
    .map(({ range, own }) => ({
      id: range.id,
      name: rangeName(range),
      start: rangeStart(range),
      at: range.updatedAt,
      drafts: own,
      published: publishedOf(own),
    }));
  const tagged = tags.map(({ name, date }) => {
    const own = ranges.filter(({ toTag }) => toTag === name).flatMap(draftsOf);
    return { id: name, name, start: '', at: date, drafts: own, published: publishedOf(own) };
  });
  return [...other, ...tagged];
}
