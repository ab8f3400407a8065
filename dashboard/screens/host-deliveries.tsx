/** The deliveries that hosts have sent, with the outcome of each, and the records that could not be applied. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../sdk/index.ts';
import { Filter, useFilter } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Empty, ErrorBox, Pill, Shown, type Tone } from '../parts/feedback.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useFilledPage } from '../state/filled-page.ts';
import { useLoad } from '../state/load.ts';
import { api } from '../state/session.ts';
import { hostNames, sentence } from '../text/words.ts';
import { DeadLetterList } from './dead-letters.tsx';

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

export function FromHosts(): JSX.Element {
  const outcome = useFilter('outcome', filters);
  const [offset, setOffset] = useState(0);
  const [opened, setOpened] = useState<Delivery | undefined>(undefined);
  const loaded = useLoad(
    'deliveries',
    (signal) => api().listDeliveries({ limit: pageSize, offset, ...(outcome !== '' && { outcome }) }, { signal }),
    [outcome, offset],
    true,
  );
  useFilledPage(loaded.data?.deliveries.length, offset, pageSize, setOffset);
  return (
    <>
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

/** Records that were accepted but could not be applied. Only keys of the instance may see them. */
export function DeadLetters(): JSX.Element {
  const loaded = useLoad('dead letters', (signal) => api().listDeadLetters({ limit: 20 }, { signal }), [], true);
  const { data, error } = loaded;
  // The list stays while its last record is shown with what came of it.
  const [isNeeded, setNeeded] = useState(false);
  if (data && data.total > 0 && !isNeeded) setNeeded(true);
  return (
    <>
      {error && <ErrorBox error={error} again={loaded.reload} />}
      {data && isNeeded && <DeadLetterList of={data} onChange={loaded.reload} />}
    </>
  );
}
