/** The ranges of a repository: what each covers, how sure that is, and its drafts. A row opens the changes. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import type { Range } from '../../../sdk/index.ts';
import { ChangeList } from '../../parts/change-list.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty, Pill, Shown } from '../../parts/feedback.tsx';
import { Needs } from '../../parts/scopes.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useFilledPage } from '../../state/filled-page.ts';
import { useLoad } from '../../state/load.ts';
import type { ListedDraft } from '../../state/names.ts';
import { api, mayUse } from '../../state/session.ts';
import {
  certainty,
  count,
  diagnosticsWords,
  personas,
  personaWords,
  rangeName,
  rangeStart,
  rangeTypes,
} from '../../text/words.ts';

const pageSize = 50;
/** Maximum number of drafts that are read for a page: all personas of its ranges, and those of newer ranges. */
const maxDrafts = 500;

/** @param onWrite begins notes with the ends of a range; undefined if the key may not write notes */
export function Ranges({
  repoId,
  onWrite,
}: {
  repoId: string;
  onWrite: ((range: Range) => void) | undefined;
}): JSX.Element {
  const [offset, setOffset] = useState(0);
  const [query, setQuery] = useSearchParams();
  const opened = query.get('range');
  const loaded = useLoad(
    'ranges',
    async (signal) => {
      const [page, drafts] = await Promise.all([
        api().listRanges({ repoId, limit: pageSize, offset, sort: 'createdAt', order: 'desc' }, { signal }),
        readDrafts(repoId, signal),
      ]);
      return { ...page, drafts };
    },
    [repoId, offset],
    { events: ['range.counts', 'draft.status', 'repository'], repoId },
  );
  useFilledPage(loaded.data?.ranges.length, offset, pageSize, setOffset);
  return (
    <>
      <Shown of={loaded}>
        {({ ranges, total, drafts }) =>
          ranges.length === 0 ? (
            <Empty title="There are no ranges yet.">
              <p>A range is what notes cover, such as everything between two tags. New notes make one.</p>
            </Empty>
          ) : (
            <>
              <Table
                columns={[
                  'Range',
                  'Covers',
                  'Content',
                  'Certainty',
                  'Created',
                  ...(mayUse('drafts:read') ? ['Drafts'] : []),
                ]}
                hasActions={onWrite !== undefined}
                pages={{ offset, shown: ranges.length, total, size: pageSize, onMove: setOffset }}
              >
                {ranges.map((range) => (
                  <Row
                    key={range.id}
                    range={range}
                    drafts={drafts.get(range.id) ?? []}
                    onOpen={() => setQuery({ range: range.id })}
                    onWrite={onWrite && (() => onWrite(range))}
                  />
                ))}
              </Table>
              <Needs scopes={['drafts:read']} to="see the drafts of ranges" />
            </>
          )
        }
      </Shown>
      {opened !== null && <Content key={opened} rangeId={opened} onClose={() => setQuery({})} />}
    </>
  );
}

/** Reads the newest drafts of a repository, by range. */
async function readDrafts(repoId: string, signal: AbortSignal): Promise<Map<string, ListedDraft[]>> {
  const found = new Map<string, ListedDraft[]>();
  if (!mayUse('drafts:read')) return found;
  let left = maxDrafts;
  for await (const draft of api().each('listDrafts', { repoId, view: 'summary', limit: 100 }, { signal })) {
    found.set(draft.releaseRangeId, [...(found.get(draft.releaseRangeId) ?? []), draft]);
    left -= 1;
    if (left === 0) break;
  }
  return found;
}

function Row({
  range,
  drafts,
  onOpen,
  onWrite,
}: {
  range: Range;
  drafts: readonly ListedDraft[];
  onOpen: () => void;
  onWrite: (() => void) | undefined;
}): JSX.Element {
  const { type, prCount, issueCount, createdAt } = range;
  const name = rangeName(range);
  const start = rangeStart(range);
  const sure = certainty(range);
  return (
    <tr>
      <th scope="row">
        <button type="button" class="link" aria-label={`Changes of ${name}`} onClick={onOpen}>
          {name}
        </button>{' '}
        {start !== '' && <span class="faint">{start}</span>}
      </th>
      <td class="whole">{rangeTypes[type]}</td>
      <td>
        <span class="whole">
          {count(prCount, 'pull request')}
          {issueCount > 0 && ','}
        </span>{' '}
        {issueCount > 0 && <span class="whole">{count(issueCount, 'issue')}</span>}
      </td>
      <td>
        <Pill tone={sure.tone} title={sure.about}>
          {sure.word}
        </Pill>
      </td>
      <td class="whole">
        <Time at={createdAt} />
      </td>
      {mayUse('drafts:read') && (
        <td>
          <span class="row-links">
            {personas.flatMap((persona) =>
              drafts
                .filter((draft) => draft.persona === persona)
                .map((draft) => (
                  <Link key={draft.id} href={`/app/drafts/${draft.id}`}>
                    {personaWords[persona].name}
                    <State of={draft} />
                  </Link>
                )),
            )}
            {drafts.length === 0 && <span class="faint">none</span>}
          </span>
        </td>
      )}
      {onWrite && (
        <td class="row-actions">
          <button type="button" class="small" aria-label={`New notes for ${name}`} onClick={onWrite}>
            New notes
          </button>
        </td>
      )}
    </tr>
  );
}

/** Says what is special about a draft. */
function State({ of: { status, outdated } }: { of: ListedDraft }): JSX.Element | null {
  if (outdated) return <span class="warn-text"> (outdated)</span>;
  if (status === 'failed') return <span class="bad-text"> (failed)</span>;
  return status === 'processing' ? <span class="faint"> (being written)</span> : null;
}

/** The changes that were considered for a range, with the reasons. */
function Content({ rangeId, onClose }: { rangeId: string; onClose: () => void }): JSX.Element {
  const loaded = useLoad(
    'range changes',
    async (signal) => {
      const [range, changes] = await Promise.all([
        api().getRange({ rangeId }, { signal }),
        api().listRangeChanges({ rangeId, limit: 100 }, { signal }),
      ]);
      return { range, ...changes };
    },
    [rangeId],
    { events: ['range.counts', 'repo.event'] },
  );
  const { data } = loaded;
  return (
    <Dialog
      title={data ? `${rangeName(data.range)} ${rangeStart(data.range)}`.trim() : 'Changes'}
      size="wide"
      onClose={onClose}
    >
      <Shown of={loaded} lines={8}>
        {({ range, changes, total, diagnostics }) => (
          <>
            <p class="summary">
              <strong>{certainty(range).word}</strong>: {certainty(range).about}{' '}
              {range.compareUrl !== undefined && (
                <a href={range.compareUrl} target="_blank" rel="noreferrer">
                  Compare on the host
                </a>
              )}
            </p>
            <p class="summary faint">{diagnosticsWords(diagnostics)}</p>
            {changes.length === 0 ? (
              <Empty title="Nothing falls into this range." />
            ) : (
              <ChangeList changes={changes} total={total} compareUrl={range.compareUrl} />
            )}
          </>
        )}
      </Shown>
    </Dialog>
  );
}
