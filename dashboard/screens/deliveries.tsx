/** The deliveries that hosts have sent, with the outcome of each, and the deliveries to endpoints. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ForbiddenError, type Operations } from '../../sdk/index.ts';
import { Filter, useFilter } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Empty, ErrorBox, Pill, Shown, type Tone } from '../parts/feedback.tsx';
import { late } from '../parts/late.tsx';
import { Screen } from '../parts/screen.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useAttempt } from '../state/attempt.ts';
import { noteChange } from '../state/live.ts';
import { useLoad } from '../state/load.ts';
import { api } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { count, hostNames, sentence } from '../text/words.ts';

type Delivery = Operations['listDeliveries']['item'];
type Outcome = Delivery['outcome'];

const pageSize = 50;
const filters = { '': 'All', queued: 'Accepted', ignored: 'Not needed', refused: 'Refused', failed: 'Failed' } as const;

const outcomes: Readonly<Record<Outcome, { tone: Tone; name: string }>> = {
  queued: { tone: 'good', name: 'accepted' },
  delayed: { tone: 'busy', name: 'delayed' },
  duplicate: { tone: 'plain', name: 'duplicate' },
  ignored: { tone: 'plain', name: 'not needed' },
  test: { tone: 'plain', name: 'test' },
  failed: { tone: 'bad', name: 'failed' },
  refused: { tone: 'bad', name: 'refused' },
};

const EndpointLog = late(async () => (await import('./later.ts')).EndpointLog);

const tabs = { hosts: 'From hosts', endpoints: 'To endpoints' } as const;

/** @param endpointId the endpoint whose deliveries are shown */
export function Deliveries({ tab, endpointId }: { tab: string; endpointId: string | undefined }): JSX.Element {
  const address = '/app/deliveries';
  return (
    <Screen title="Deliveries">
      <nav class="tabs" aria-label="Deliveries">
        {Object.entries(tabs).map(([id, text]) => (
          <Link
            key={id}
            href={id === 'hosts' ? address : `${address}/${id}`}
            aria-current={tab === id ? 'page' : undefined}
          >
            {text}
          </Link>
        ))}
      </nav>
      {tab === 'endpoints' ? <EndpointLog endpointId={endpointId} /> : <FromHosts />}
    </Screen>
  );
}

function FromHosts(): JSX.Element {
  const outcome = useFilter('outcome', filters);
  const [offset, setOffset] = useState(0);
  const [opened, setOpened] = useState<Delivery | undefined>(undefined);
  const loaded = useLoad(
    'deliveries',
    (signal) => api().listDeliveries({ limit: pageSize, offset, ...(outcome !== '' && { outcome }) }, { signal }),
    [outcome, offset],
    true,
  );
  return (
    <>
      <DeadLetters />
      <Filter legend="Outcome" name="outcome" texts={filters} onChange={() => setOffset(0)} />
      <Shown of={loaded}>
        {({ deliveries, total, since }) =>
          deliveries.length === 0 ? (
            <Empty title={outcome === '' ? 'No delivery yet.' : 'No delivery has this outcome.'}>
              <p>
                The newest deliveries since the start of the service are listed, which was <Time at={since} />.
              </p>
            </Empty>
          ) : (
            <Table
              columns={['Event', 'Repository', 'Outcome', 'Time']}
              hasActions
              pages={{ offset, shown: deliveries.length, total, size: pageSize, onMove: setOffset }}
            >
              {deliveries.map((delivery) => (
                <Row key={delivery.id} delivery={delivery} onOpen={() => setOpened(delivery)} />
              ))}
            </Table>
          )
        }
      </Shown>
      {opened && <Details delivery={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function Row({ delivery, onOpen }: { delivery: Delivery; onOpen: () => void }): JSX.Element {
  const { event, repository, outcome, receivedAt, message } = delivery;
  return (
    <tr>
      <th scope="row">{event ?? 'unknown'}</th>
      <td>{repository ?? <span class="faint">not known</span>}</td>
      <td>
        <Pill tone={outcomes[outcome].tone} {...(message !== null && { title: message })}>
          {outcomes[outcome].name}
        </Pill>
      </td>
      <td>
        <Time at={receivedAt} />
      </td>
      <td class="row-actions">
        <button type="button" class="small" onClick={onOpen}>
          Details
        </button>
      </td>
    </tr>
  );
}

function Details({ delivery, onClose }: { delivery: Delivery; onClose: () => void }): JSX.Element {
  const { outcome, message, remedy, status, receivedAt, event, repository } = delivery;
  const { host, hostKind, deliveryId, hookId, address, contentType, triedSecrets } = delivery;
  const facts: [name: string, value: string | number | null][] = [
    ['Event', event],
    ['Repository', repository],
    ['Reply', status],
    ['Host', host ?? (hostKind && hostNames[hostKind])],
    ['Delivery', deliveryId],
    ['Webhook', hookId],
    ['Address', address],
    ['Content type', contentType],
    ['Secrets tried', triedSecrets.length === 0 ? null : triedSecrets.join(', ')],
  ];
  return (
    <Dialog title="Delivery" size="side" onClose={onClose}>
      <p class="outcome">
        <Pill tone={outcomes[outcome].tone}>{outcomes[outcome].name}</Pill> <Time at={receivedAt} />
      </p>
      {message !== null && (
        <p class={outcome === 'refused' || outcome === 'failed' ? 'box bad' : 'box'}>{sentence(message)}</p>
      )}
      {remedy !== null && <p class="box">{sentence(remedy)}</p>}
      <Facts of={facts.filter((fact): fact is [string, string | number] => fact[1] !== null)} />
      <p class="faint">The text of a delivery is not kept. The host can send the delivery again.</p>
    </Dialog>
  );
}

/** Deliveries that were accepted but could not be applied. Only keys of the instance may see them. */
function DeadLetters(): JSX.Element | null {
  const { error: fault, attempt } = useAttempt();
  const loaded = useLoad(
    'dead letters',
    async (signal) => {
      try {
        return await api().listDeadLetters({ limit: 20 }, { signal });
      } catch (error) {
        if (error instanceof ForbiddenError) return undefined;
        throw error;
      }
    },
    [],
    true,
  );
  const { data, error } = loaded;
  if (error) return <ErrorBox error={error} again={loaded.reload} />;
  if (!data || data.total === 0) return null;
  const replay = async (): Promise<void> => {
    let sent = 0;
    let cursor: string | null | undefined;
    do {
      const { replayed, nextCursor } = await api().replayDeadLetters({ all: true, ...(cursor && { cursor }) });
      sent += replayed.length;
      cursor = nextCursor;
    } while (cursor);
    showToast(`${count(sent, 'record')} applied again.`);
    noteChange();
    loaded.reload();
  };
  return (
    <section class="card inbox-group" aria-label="Records that could not be applied">
      <h2>
        Records that could not be applied <span class="number">{data.total}</span>
      </h2>
      <ul>
        {data.deadLetters.map(({ partition, seq, index, at, subject, error: why }) => (
          <li key={`${partition} ${seq} ${index}`}>
            <span>{subject}</span>
            <Time at={at} />
            <span class="bad-text wide-line">{why}</span>
          </li>
        ))}
        <li>
          <button type="button" onClick={() => void attempt(replay)}>
            Apply again
          </button>
          <span class="faint">Do this after an update that removes the cause.</span>
        </li>
      </ul>
      {fault && <ErrorBox error={fault} />}
    </section>
  );
}
