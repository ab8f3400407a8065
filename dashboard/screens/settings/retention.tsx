/** How long data is kept, what will be erased next, and the erasures that a person must approve. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Operations } from '../../../sdk/index.ts';
import { Empty, Pill, Shown } from '../../parts/feedback.tsx';
import { Question } from '../../parts/question.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../state/load.ts';
import { api, mayUse } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { exactTime } from '../../text/dates.ts';
import { count } from '../../text/words.ts';

type Report = Operations['showRetention']['reply'];
type Waiting = Report['partitions'][number]['waiting'][number];
type Row = Report['repositories'][number];

const periods: readonly (readonly [data: string, period: string])[] = [
  ['Pull requests and issues, with their comments', '12 months after their last event'],
  ['Pushes and their commits', '12 months'],
  ['Repositories, tags, drafts', 'until their organization is erased'],
  ['Everything of an organization whose app was removed', '30 days after the removal'],
  ['Published pages', 'until someone deletes them'],
];

const erasedWords = [
  ['pulls', 'pull request'],
  ['issues', 'issue'],
  ['comments', 'comment'],
  ['pushes', 'push'],
  ['commits', 'commit'],
] as const;

export function Retention(): JSX.Element {
  const loaded = useLoad('retention', (signal) => api().showRetention({}, { signal }), []);
  const [asking, setAsking] = useState<Waiting | undefined>(undefined);
  const awaitSweep = useSweep(loaded.data, loaded.reload);
  return (
    <section class="settings-part" aria-label="Retention">
      <header>
        <h2>Retention</h2>
      </header>
      <Table columns={['Data', 'Kept']}>
        {periods.map(([data, period]) => (
          <tr key={data}>
            <th scope="row">{data}</th>
            <td>{period}</td>
          </tr>
        ))}
      </Table>
      <Shown of={loaded} lines={4}>
        {(report) => (
          <>
            <WaitingList of={report} onAsk={setAsking} />
            <Due of={report} />
            {asking && (
              <Question
                title="Approve this erasure?"
                action="Erase for good"
                onConfirm={async () => {
                  await api().approveRetention({ partition: asking.partition, id: asking.id });
                  showToast('Approved. The data goes with the next sweep.');
                  awaitSweep(asking.partition);
                  loaded.reload();
                  setAsking(undefined);
                }}
                onClose={() => setAsking(undefined)}
              >
                <p>{explain(asking, report)}</p>
                <p>Erased data cannot be brought back, except from a backup.</p>
              </Question>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

/**
 * Loads the report again until an approved erasure is carried out, for a minute at most.
 * @returns begins to wait for the next sweep of a partition
 */
function useSweep(report: Report | undefined, reload: () => void): (partition: string) => void {
  const [awaited, setAwaited] = useState<{ partition: string; last: string | undefined; until: number } | undefined>();
  const lastOf = (partition: string): string | undefined =>
    report?.partitions.find((each) => each.partition === partition)?.lastSweep?.at;
  const isDone = awaited === undefined || lastOf(awaited.partition) !== awaited.last;
  useEffect(() => {
    if (isDone) return;
    const timer = setInterval(() => (Date.now() < awaited.until ? reload() : setAwaited(undefined)), 1000);
    return () => clearInterval(timer);
  }, [isDone, awaited, reload]);
  return (partition) => setAwaited({ partition, last: lastOf(partition), until: Date.now() + 60_000 });
}

function WaitingList({ of, onAsk }: { of: Report; onAsk: (waiting: Waiting) => void }): JSX.Element | null {
  const waiting = of.partitions.flatMap((each) => each.waiting);
  if (waiting.length === 0) return null;
  return (
    <section aria-label="Waiting for approval">
      <h3>
        Waiting for approval <span class="number">{waiting.length}</span>
      </h3>
      {waiting.map((each) => (
        <div class="box warn" key={`${each.partition} ${each.id}`}>
          <div>
            <p>{explain(each, of)}</p>
            {mayUse('repos:write') && (
              <button type="button" class="small" onClick={() => onAsk(each)}>
                Approve
              </button>
            )}
          </div>
        </div>
      ))}
    </section>
  );
}

/** Says in words what would be erased, with its numbers, and why a person must approve it. */
function explain(waiting: Waiting, { organizations: removed }: Report): string {
  const { cause, from, to, before, records = 0, total = 0, organizations = [], shares = [] } = waiting;
  if (cause === 'clock')
    return `The clock of the machine jumped from ${at(from)} to ${at(to)}. If the new time is right, approve it, and erasing goes on with that time.`;
  if (cause === 'records')
    return `${count(records, 'record')} of ${total.toLocaleString('en')} ${records === 1 ? 'was' : 'were'} last reported before ${before} and would be erased. This is a large part, so it waits for a person.`;
  const lost = shares.reduce((sum, share) => sum + share.records, 0);
  const logins = organizations.map(({ id }) => removed.find((each) => each.id === id)?.login ?? id);
  return `${count(organizations.length, 'organization')} (${logins.join(', ')}) with ${count(lost, 'record')} would be erased, because ${organizations.length === 1 ? 'its app was' : 'their apps were'} removed. This is a large part, so it waits for a person.`;
}

function at(time: string | undefined): string {
  return time === undefined ? 'an unknown time' : exactTime(Date.parse(time));
}

function Due({ of: { before, repositories, organizations, partitions } }: { of: Report }): JSX.Element {
  const sweeps = partitions.flatMap(({ lastSweep }) => lastSweep?.at ?? []).sort();
  const last = sweeps.at(-1);
  const erased = erasedWords.flatMap(([name, word]) => {
    const sum = partitions.reduce((all, { lastSweep }) => all + (lastSweep?.erased?.[name] ?? 0), 0);
    return sum > 0 ? [count(sum, word)] : [];
  });
  return (
    <>
      <h3>What will go</h3>
      <p class="faint summary">
        Data that was last reported before {before}.{' '}
        {last === undefined ? (
          'Nothing was swept yet.'
        ) : (
          <>
            The last sweep was <Time at={last} />, and erased {erased.length === 0 ? 'nothing' : erased.join(', ')}.
          </>
        )}
      </p>
      {repositories.length === 0 && organizations.length === 0 ? (
        <Empty title="Nothing is to be erased now." />
      ) : (
        <Table columns={['Of', 'Pull requests', 'Issues', 'Comments', 'Pushes', 'Commits']}>
          {repositories.map((row) => (
            <Counts key={row.repoId} of={row} />
          ))}
          {organizations.map(({ id, login, erasedFrom, due, repositories: own }) => (
            <tr key={id}>
              <th scope="row">
                {login} <Pill tone={due ? 'bad' : 'warn'}>app removed</Pill>
              </th>
              <td colSpan={5}>
                everything, which is {count(own.length, 'repository')},{' '}
                {due ? 'with the next sweep' : <Time at={erasedFrom} isAhead />}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

function Counts({ of }: { of: Row }): JSX.Element {
  const { fullName, pulls, issues, comments, pushes, commits } = of;
  return (
    <tr>
      <th scope="row">{fullName}</th>
      {Object.entries({ pulls, issues, comments, pushes, commits }).map(([name, value]) => (
        <td key={name}>
          {value.toLocaleString('en')} <span class="phone-only">{name}</span>
        </td>
      ))}
    </tr>
  );
}
