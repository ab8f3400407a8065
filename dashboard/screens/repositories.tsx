/** The list of repositories, with what waits in each. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Empty, Pill, Shown } from '../parts/feedback.tsx';
import { NoRepository } from '../parts/no-repository.tsx';
import { Allowed, Needs } from '../parts/scopes.tsx';
import { Screen } from '../parts/screen.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { type Active, isCounting, readActivity } from '../state/activity.ts';
import { useFilledPage } from '../state/filled-page.ts';
import { useLoad } from '../state/load.ts';
import { mayUse } from '../state/session.ts';
import { useSoon } from '../state/soon.ts';
import { countListed } from '../text/words.ts';

const pageSize = 50;

export function Repositories(): JSX.Element {
  const [offset, setOffset] = useState(0);
  const [text, setText] = useState('');
  const mayCount = mayUse('ranges:read');
  const loaded = useLoad(
    'repositories',
    (signal) => readActivity({ offset, limit: pageSize, q: text }, signal),
    [mayUse('repos:read') || null, offset, text],
    { events: ['repo.event'] },
  );
  useFilledPage(loaded.data?.repos.length, offset, pageSize, setOffset);
  useSoon(loaded.data?.repos.some(isCounting) === true, loaded.reload, loaded.data);
  return (
    <Screen
      title="Repositories"
      actions={
        <>
          <Link href="/app/connect">Connect a repository</Link>
          <input
            type="search"
            class="filter"
            aria-label="Filter by name"
            placeholder="Filter by name"
            value={text}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value.trim());
              setOffset(0);
            }}
          />
        </>
      }
    >
      <Allowed scopes={['repos:read']} to="see repositories">
        <Shown of={loaded}>
          {({ repos, total }) =>
            repos.length === 0 ? (
              text === '' ? (
                <NoRepository />
              ) : (
                <Empty title={`No repository has “${text}” in its name.`} />
              )
            ) : (
              <>
                <Table
                  columns={['Repository', ...(mayCount ? ['Last release', 'Unreleased'] : []), 'Last event']}
                  pages={{ offset, shown: repos.length, total, size: pageSize, onMove: setOffset }}
                >
                  {repos.map((repository) => (
                    <Row key={repository.id} repository={repository} mayCount={mayCount} />
                  ))}
                </Table>
                <Needs scopes={['ranges:read']} to="see releases and unreleased changes here" />
              </>
            )
          }
        </Shown>
      </Allowed>
    </Screen>
  );
}

function Row({ repository, mayCount }: { repository: Active; mayCount: boolean }): JSX.Element {
  const { id, fullName, state, lastTag, unreleased, lastEventAt } = repository;
  return (
    <tr>
      <th scope="row">
        <Link href={`/app/repositories/${id}`}>{fullName}</Link>
        {state !== 'connected' && (
          <Pill tone="plain" title="Events of this repository are not captured">
            {state === 'unselected' ? 'not selected' : 'disconnected'}
          </Pill>
        )}
      </th>
      {mayCount && (
        <>
          <td>
            <span class="phone-only">last release</span>{' '}
            {lastTag ? (
              <>
                {lastTag.name} <span class="faint">{<Time at={lastTag.date} />}</span>
              </>
            ) : (
              <span class="faint">none</span>
            )}
          </td>
          <td>
            <span class="phone-only">unreleased</span>{' '}
            {unreleased ? <Unreleased of={unreleased} /> : <span class="faint">…</span>}
          </td>
        </>
      )}
      <td>
        <span class="phone-only">last event</span>{' '}
        {lastEventAt ? <Time at={lastEventAt} /> : <span class="faint">none yet</span>}
      </td>
    </tr>
  );
}

function Unreleased({ of }: { of: NonNullable<Active['unreleased']> }): JSX.Element {
  return (
    <>
      {of.changes + of.dependencyUpdates === 0 ? <span class="faint">nothing</span> : countListed(of)}{' '}
      {of.unlabelled > 0 && <Pill tone="warn">{of.unlabelled} unlabelled</Pill>}
    </>
  );
}
