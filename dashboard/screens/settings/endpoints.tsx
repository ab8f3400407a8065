/** The endpoints that receive the webhooks of this service: create, change, test, replace the secret, delete. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { NewWebhookEndpoint, WebhookDelivery, WebhookEndpoint } from '../../../sdk/index.ts';
import { Empty, ErrorBox, Pill, Shown } from '../../parts/feedback.tsx';
import { Question, Replacement, ShownOnce } from '../../parts/question.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { useFilledPage } from '../../state/filled-page.ts';
import { useLoad } from '../../state/load.ts';
import { api, base, isInstanceKey, mayUse } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { dropInput, isFormUnsaved } from '../../state/unsaved.ts';
import { count } from '../../text/words.ts';
import { DeliveryDialog } from '../endpoint-delivery.tsx';
import { useDialogs } from './dialogs.ts';
import { EndpointForm, endpointFormName } from './endpoint-form.tsx';
import { useOrganizations } from './organization-choice.tsx';
import { OverlapPill } from './secrets.tsx';

const pageSize = 50;

type Open =
  | { what: 'new' }
  | { what: 'tested'; delivery: WebhookDelivery }
  | { what: 'change' | 'rotate' | 'delete'; endpoint: WebhookEndpoint };

/** The name of an endpoint: what a person wrote about it, else its address. */
export function endpointName({ description, url }: Pick<WebhookEndpoint, 'description' | 'url'>): string {
  return description.trim() === '' ? url : description;
}

export function Endpoints(): JSX.Element {
  const [offset, setOffset] = useState(0);
  const { open, setOpen, close, secret, addSecret, dropSecret } = useDialogs<Open, NewWebhookEndpoint>();
  const { error, attempt } = useAttempt();
  const organizations = useOrganizations();
  const loaded = useLoad(
    'endpoints',
    (signal) => api().listWebhookEndpoints({ limit: pageSize, offset, sort: 'createdAt', order: 'desc' }, { signal }),
    [offset],
    true,
  );
  useFilledPage(loaded.data?.webhookEndpoints.length, offset, pageSize, setOffset);
  const done = (text: string): void => {
    showToast(text);
    loaded.reload();
    close();
  };
  const show = (endpoint: NewWebhookEndpoint): void => {
    loaded.reload();
    addSecret(endpoint);
    close();
  };
  const test = ({ id }: WebhookEndpoint): Promise<unknown> =>
    attempt(async () => {
      const delivery = await api().testWebhookEndpoint({ endpointId: id });
      // The dialog of another action stays, and a secret is copied first.
      setOpen((now) => now ?? { what: 'tested', delivery });
    });
  const switchOn = ({ id }: WebhookEndpoint, enabled: boolean): Promise<unknown> =>
    attempt(async () => {
      await api().updateWebhookEndpoint({ endpointId: id, enabled });
      done(
        enabled ? 'The endpoint is on.' : 'The endpoint is off. Events are skipped meanwhile, and can be sent later.',
      );
    });
  return (
    <section class="settings-part" aria-label="Endpoints">
      <header>
        <h2>Endpoints</h2>
        {mayUse('webhooks:write') && (
          <button type="button" class="primary" onClick={() => setOpen({ what: 'new' })}>
            {isFormUnsaved(endpointFormName()) ? 'Continue the new endpoint' : 'New endpoint'}
          </button>
        )}
      </header>
      <p class="faint summary">
        The service sends events to these addresses as signed webhooks.{' '}
        <a href={`${base}/docs/guide#outgoing-webhooks`}>How it works</a>
      </p>
      {error && <ErrorBox error={error} />}
      <Shown of={loaded} lines={4}>
        {({ webhookEndpoints, total }) =>
          webhookEndpoints.length === 0 ? (
            <Empty title="There is no endpoint yet.">
              <p>With an endpoint, your programs learn at once when notes are ready or published.</p>
            </Empty>
          ) : (
            <Table
              columns={['Endpoint', 'Receives', 'State']}
              hasActions
              pages={{ offset, shown: webhookEndpoints.length, total, size: pageSize, onMove: setOffset }}
            >
              {webhookEndpoints.map((endpoint) => (
                <Row
                  key={endpoint.id}
                  of={endpoint}
                  login={
                    isInstanceKey() ? organizations.data?.find(({ id }) => id === endpoint.orgId)?.login : undefined
                  }
                  onOpen={(what) => setOpen({ what, endpoint })}
                  onTest={() => test(endpoint)}
                  onSwitch={(enabled) => switchOn(endpoint, enabled)}
                />
              ))}
            </Table>
          )
        }
      </Shown>
      {open?.what === 'new' && <EndpointForm onCreated={show} onSaved={() => {}} onClose={close} />}
      {open?.what === 'change' && (
        <EndpointForm
          of={open.endpoint}
          onCreated={show}
          onSaved={() => done('The endpoint is saved.')}
          onClose={close}
        />
      )}
      {secret && <Secret key={secret.secret} of={secret} onClose={dropSecret} />}
      {open?.what === 'tested' && !secret && (
        <DeliveryDialog title="Test event" of={open.delivery} onChanged={loaded.reload} onClose={close} />
      )}
      {open?.what === 'rotate' && (
        <Replacement
          title={`Replace the secret of ${endpointName(open.endpoint)}?`}
          label="Deliveries are signed with both secrets for"
          onConfirm={async (overlapHours) =>
            show(await api().rotateWebhookEndpointSecret({ endpointId: open.endpoint.id, overlapHours }))
          }
          onClose={close}
        >
          <p>A new secret is made. Give it to the receiver before the present one ends.</p>
        </Replacement>
      )}
      {open?.what === 'delete' && (
        <Question
          title={`Delete ${endpointName(open.endpoint)}?`}
          action="Delete"
          onConfirm={async () => {
            await api().deleteWebhookEndpoint({ endpointId: open.endpoint.id });
            dropInput(endpointFormName(open.endpoint.id));
            done('The endpoint is deleted.');
          }}
          onClose={close}
        >
          <p>It receives nothing any more, and the list of its deliveries is deleted with it.</p>
        </Question>
      )}
    </section>
  );
}

function Row({
  of,
  login,
  onOpen,
  onTest,
  onSwitch,
}: {
  of: WebhookEndpoint;
  login: string | undefined;
  onOpen: (what: 'change' | 'rotate' | 'delete') => void;
  onTest: () => Promise<unknown>;
  onSwitch: (enabled: boolean) => Promise<unknown>;
}): JSX.Element {
  const { id, url, description, events, enabled, overlapEndsAt } = of;
  const name = endpointName(of);
  const [busy, setBusy] = useState<'test' | 'switch' | undefined>(undefined);
  // The buttons stay enabled, so the focus returns to them when the dialog of the result closes.
  const run = async (what: 'test' | 'switch', act: () => Promise<unknown>): Promise<void> => {
    if (busy) return;
    setBusy(what);
    await act();
    setBusy(undefined);
  };
  const filters = [of.personas && 'readers', of.channels && 'channels', of.repositories && 'repositories'].filter(
    Boolean,
  );
  const buttons: [text: string, label: string, act: () => void][] = [
    ['Change', `Change ${name}`, () => onOpen('change')],
    [
      enabled ? 'Turn off' : 'Turn on',
      `${enabled ? 'Turn off' : 'Turn on'} ${name}`,
      () => void run('switch', () => onSwitch(!enabled)),
    ],
    ['Replace secret', `Replace secret of ${name}`, () => onOpen('rotate')],
    ['Delete', `Delete ${name}`, () => onOpen('delete')],
  ];
  return (
    <tr>
      <th scope="row">
        {name}
        {description.trim() !== '' && <span class="faint endpoint-url">{url}</span>}
        {login !== undefined && <span class="faint endpoint-url">{login}</span>}
      </th>
      <td>
        <span class="whole" title={events.join(', ')}>
          {events.length === 1 ? events[0] : count(events.length, 'event')}
        </span>
        {filters.length > 0 && <span class="faint endpoint-url">only some {filters.join(' and ')}</span>}
      </td>
      <td>
        <EndpointState of={of} /> <OverlapPill until={overlapEndsAt} />
        {isFormUnsaved(endpointFormName(id)) && <Pill tone="warn">changes not saved</Pill>}
      </td>
      <td class="row-actions endpoint-actions">
        <Link href={`/app/deliveries/endpoints/${id}`} aria-label={`Deliveries to ${name}`}>
          Deliveries
        </Link>
        {mayUse('webhooks:write') && (
          <>
            <button
              type="button"
              class="small"
              aria-label={`Test ${name}`}
              disabled={!enabled}
              onClick={() => void run('test', onTest)}
            >
              {busy === 'test' ? 'Testing…' : 'Test'}
            </button>
            {buttons.map(([text, label, act]) => (
              <button type="button" class="small" key={text} aria-label={label} onClick={act}>
                {text}
              </button>
            ))}
          </>
        )}
      </td>
    </tr>
  );
}

const disabledWords: Readonly<Record<NonNullable<WebhookEndpoint['disabledReason']>, string>> = {
  user: 'a person turned it off',
  gone: 'the receiver answered that it is gone (410)',
  failing: 'all attempts failed for days',
};

export function EndpointState({
  of: { enabled, disabledReason, disabledAt, failingSince },
}: {
  of: WebhookEndpoint;
}): JSX.Element {
  if (!enabled)
    return (
      <>
        <Pill tone={disabledReason === 'user' ? 'plain' : 'bad'}>off</Pill>{' '}
        <span class="faint">
          {disabledReason && disabledWords[disabledReason]} {disabledAt && <Time at={disabledAt} />}
        </span>
      </>
    );
  if (failingSince === null) return <Pill tone="good">on</Pill>;
  return (
    <Pill tone="warn">
      failing since <Time at={failingSince} />
    </Pill>
  );
}

function Secret({ of, onClose }: { of: NewWebhookEndpoint; onClose: () => void }): JSX.Element {
  return (
    <ShownOnce title={`Secret of ${endpointName(of)}`} secret={of.secret} label="the secret" onClose={onClose}>
      <p>The receiver verifies each webhook with it, for example with the client of this service:</p>
      <pre class="snippet">{`import { verifyWebhook } from '@tidings/client';

const webhook = await verifyWebhook(rawBody, headers, secret);`}</pre>
      <p class="faint">
        Webhooks are signed as{' '}
        <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
          Standard Webhooks
        </a>
        , so libraries of other languages work too.{' '}
        <a href={`${base}/docs/guide#outgoing-webhooks`} target="_blank" rel="noopener">
          Guide
        </a>
      </p>
    </ShownOnce>
  );
}
