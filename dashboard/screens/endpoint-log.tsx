/** The deliveries to one endpoint, the newest first, and sending those of a period again. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import type { WebhookDelivery, WebhookEndpoint } from '../../sdk/index.ts';
import { Filter, useFilter } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty, Pill, Shown } from '../parts/feedback.tsx';
import { Fields, faultsOf, SelectField, TextField } from '../parts/fields.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useAttempt } from '../state/attempt.ts';
import { useFilledPage } from '../state/filled-page.ts';
import { useLoad } from '../state/load.ts';
import { api, mayUse } from '../state/session.ts';
import { useSoon } from '../state/soon.ts';
import { showToast } from '../state/toasts.ts';
import { count } from '../text/words.ts';
import { changesSoon, DeliveryDialog, DeliveryState } from './endpoint-delivery.tsx';
import { EndpointState, endpointName } from './settings/endpoints.tsx';

const pageSize = 50;
/** Maximum number of endpoints in the choice. */
const maxListed = 1000;
const filters = {
  '': 'All',
  delivered: 'Delivered',
  failed: 'Failed',
  pending: 'Waiting',
  skipped: 'Skipped',
} as const;

/** @param endpointId the endpoint in the address; without it, the newest one is shown */
export function EndpointLog({ endpointId }: { endpointId: string | undefined }): JSX.Element {
  const loaded = useLoad('all endpoints', listAll, [], true);
  const [, navigate] = useLocation();
  const search = useSearch();
  // What an earlier visit has loaded may be out of date.
  const [remembered] = useState(loaded.data);
  const newest = endpointId === undefined && loaded.data !== remembered ? loaded.data?.[0]?.id : undefined;
  // A newer endpoint that someone creates now does not take the place of the one that is shown.
  useEffect(() => {
    if (newest) navigate(addressOf(newest) + (search && `?${search}`), { replace: true });
  }, [newest]);
  return (
    <Shown of={loaded}>
      {(endpoints) => {
        const chosen = endpointId === undefined ? endpoints[0] : endpoints.find(({ id }) => id === endpointId);
        if (chosen) return <Log key={chosen.id} of={chosen} endpoints={endpoints} onChanged={loaded.reload} />;
        return (
          <Empty title={endpoints.length === 0 ? 'There is no endpoint yet.' : 'This endpoint does not exist.'}>
            <p>
              <Link href="/app/settings/endpoints">Endpoints</Link> receive the events of this service as webhooks.
            </p>
          </Empty>
        );
      }}
    </Shown>
  );
}

function addressOf(endpointId: string): string {
  return `/app/deliveries/endpoints/${endpointId}`;
}

async function listAll(signal: AbortSignal): Promise<readonly WebhookEndpoint[]> {
  const found: WebhookEndpoint[] = [];
  for await (const each of api().each('listWebhookEndpoints', { sort: 'createdAt', order: 'desc' }, { signal })) {
    found.push(each);
    if (found.length >= maxListed) break;
  }
  return found;
}

function Log({
  of,
  endpoints,
  onChanged,
}: {
  of: WebhookEndpoint;
  endpoints: readonly WebhookEndpoint[];
  onChanged: () => void;
}): JSX.Element {
  const [, navigate] = useLocation();
  const status = useFilter('outcome', filters);
  const [offset, setOffset] = useState(0);
  const [opened, setOpened] = useState<WebhookDelivery | undefined>(undefined);
  const [isReplaying, setReplaying] = useState(false);
  const endpointId = of.id;
  const loaded = useLoad(
    'endpoint deliveries',
    (signal) =>
      api().listWebhookDeliveries(
        { endpointId, limit: pageSize, offset, sort: 'createdAt', order: 'desc', ...(status !== '' && { status }) },
        { signal },
      ),
    [endpointId, status, offset],
    true,
  );
  useFilledPage(loaded.data?.deliveries.length, offset, pageSize, setOffset);
  useSoon(loaded.data?.deliveries.some(changesSoon) === true, loaded.reload, loaded.data);
  return (
    <>
      <div class="log-head">
        <label>
          <span class="hidden">Endpoint</span>
          <select value={endpointId} onChange={({ currentTarget }) => navigate(addressOf(currentTarget.value))}>
            {endpoints.map((each) => (
              <option key={each.id} value={each.id}>
                {endpointName(each)}
              </option>
            ))}
          </select>
        </label>
        <span>
          <EndpointState of={of} />
        </span>
        {mayUse('webhooks:write') && (
          <button type="button" onClick={() => setReplaying(true)}>
            Send a period again
          </button>
        )}
      </div>
      <Filter legend="Outcome" name="outcome" texts={filters} onChange={() => setOffset(0)} />
      <Shown of={loaded}>
        {({ deliveries, total }) =>
          deliveries.length === 0 ? (
            <Empty title={status === '' ? 'Nothing was sent to this endpoint yet.' : 'No delivery has this outcome.'}>
              {status === '' && (
                <p>
                  A test of the endpoint, in the <Link href="/app/settings/endpoints">settings</Link>, sends the first
                  one.
                </p>
              )}
            </Empty>
          ) : (
            <Table
              columns={['Event', 'Outcome', 'Last reply', 'Attempts', 'Time']}
              hasActions
              pages={{ offset, shown: deliveries.length, total, size: pageSize, onMove: setOffset }}
            >
              {deliveries.map((delivery) => (
                <Row key={delivery.id} of={delivery} onOpen={() => setOpened(delivery)} />
              ))}
            </Table>
          )
        }
      </Shown>
      {opened && (
        <DeliveryDialog
          title="Delivery"
          of={opened}
          onChanged={() => {
            loaded.reload();
            onChanged();
          }}
          onClose={() => setOpened(undefined)}
        />
      )}
      {isReplaying && (
        <Replay
          of={of}
          onReplayed={(replayed) => {
            showToast(
              replayed === 0
                ? 'There was nothing to send again.'
                : `${count(replayed, 'delivery')} ${replayed === 1 ? 'is' : 'are'} sent again.`,
            );
            setReplaying(false);
            loaded.reload();
          }}
          onClose={() => setReplaying(false)}
        />
      )}
    </>
  );
}

function Row({ of, onOpen }: { of: WebhookDelivery; onOpen: () => void }): JSX.Element {
  const { event, attempts, attemptCount, createdAt } = of;
  const last = attempts.reduce<(typeof attempts)[number] | undefined>(
    (newest, each) => (newest && newest.at > each.at ? newest : each),
    undefined,
  );
  return (
    <tr>
      <th scope="row">
        <code>{event}</code>
      </th>
      <td>
        <DeliveryState of={of} />
      </td>
      <td>
        {last === undefined ? (
          <span class="faint">
            <span class="phone-only">reply: </span>none
          </span>
        ) : last.status === null ? (
          <Pill tone="bad">no reply</Pill>
        ) : (
          <>
            <span class="phone-only">reply:</span> {last.status}
          </>
        )}
      </td>
      <td>{count(attemptCount, 'attempt')}</td>
      <td>
        <Time at={createdAt} />
      </td>
      <td class="row-actions">
        <button type="button" class="small" onClick={onOpen}>
          Details
        </button>
      </td>
    </tr>
  );
}

const dayMs = 86_400_000;

/** A time in the form that a field of the browser takes, in the time zone of the browser. */
function toField(time: number): string {
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function Replay({
  of,
  onReplayed,
  onClose,
}: {
  of: WebhookEndpoint;
  onReplayed: (count: number) => void;
  onClose: () => void;
}): JSX.Element {
  const [from, setFrom] = useState(() => toField(Date.now() - dayMs));
  const [to, setTo] = useState(() => toField(Date.now() + 60_000));
  const [status, setStatus] = useState<'failed' | 'skipped' | 'delivered' | ''>('failed');
  const [isBusy, setBusy] = useState(false);
  const { error, attempt } = useAttempt();
  const isValid = !Number.isNaN(Date.parse(from)) && !Number.isNaN(Date.parse(to));
  const replay = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    await attempt(async () => {
      const period = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const filter = status === '' ? {} : { status };
      const { replayed } = await api().replayWebhookDeliveries({ endpointId: of.id, ...period, ...filter });
      onReplayed(replayed);
    });
    setBusy(false);
  };
  const moment = { type: 'datetime-local' };
  return (
    <Dialog title="Send a period again" onClose={onClose}>
      <form class="stack" onSubmit={replay}>
        <p>Deliveries to {endpointName(of)} that were made in this period, in your time zone.</p>
        <Fields error={error} faults={faultsOf(error, ['from', 'to', 'status'])}>
          <TextField label="From" at="from" value={from} onChange={setFrom} input={moment} />
          <TextField label="To" at="to" value={to} onChange={setTo} input={moment} />
          <SelectField
            label="Which"
            at="status"
            value={status}
            onChange={setStatus}
            options={[
              ['failed', 'only failed ones'],
              ['skipped', 'only skipped ones'],
              ['delivered', 'only delivered ones'],
              ['', 'all'],
            ]}
          />
        </Fields>
        <footer class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy || !isValid}>
            Send again
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
