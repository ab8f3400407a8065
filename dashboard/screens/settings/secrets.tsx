/** The secrets that verify the deliveries of hosts: create, replace and revoke them. A value is shown once. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { NewWebhookSecret, WebhookSecret } from '../../../sdk/index.ts';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty, Pill, Shown } from '../../parts/feedback.tsx';
import { Fields, faultsOf, SelectField, TextField } from '../../parts/fields.tsx';
import { Question, Replacement, ShownOnce } from '../../parts/question.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { useFilledPage } from '../../state/filled-page.ts';
import { useLoad } from '../../state/load.ts';
import { api, base, isInstanceKey, mayUse } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { useDialogs } from './dialogs.ts';
import { useOrganizations } from './organization-choice.tsx';
import { OrganizationField } from './organization-field.tsx';

const pageSize = 50;

type Open = { what: 'new' } | { what: 'rotate' | 'revoke'; secret: WebhookSecret };

/** A secret may have no name, but the question before its end needs one. */
function nameOf({ name, id }: Pick<WebhookSecret, 'name' | 'id'>): string {
  return name.trim() === '' ? id : name;
}

export function WebhookSecrets(): JSX.Element {
  const [offset, setOffset] = useState(0);
  const dialogs = useDialogs<Open, NewWebhookSecret>();
  const { open, setOpen, close } = dialogs;
  const organizations = useOrganizations();
  const loaded = useLoad(
    'webhook secrets',
    (signal) => api().listWebhookSecrets({ limit: pageSize, offset, sort: 'createdAt', order: 'desc' }, { signal }),
    [offset],
  );
  useFilledPage(loaded.data?.webhookSecrets.length, offset, pageSize, setOffset);
  const show = (secret: NewWebhookSecret): void => {
    loaded.reload();
    if (secret.secret !== undefined) dialogs.addSecret(secret);
    else showToast('The secret is saved.');
    close();
  };
  const loginOf = (orgId: string | null): string =>
    orgId === null
      ? 'the whole host'
      : (organizations.data?.find(({ id }) => id === orgId)?.login ?? 'an organization');
  return (
    <section class="settings-part" aria-label="Webhook secrets">
      <header>
        <h2>Webhook secrets</h2>
        {mayUse('webhooks:write') && (
          <button type="button" class="primary" onClick={() => setOpen({ what: 'new' })}>
            New secret
          </button>
        )}
      </header>
      <p class="faint summary">
        A host signs its deliveries with a secret. The service accepts a delivery only if one of these secrets, or one
        of the settings of the service, has signed it.
      </p>
      <Shown of={loaded} lines={4}>
        {({ webhookSecrets, total }) =>
          webhookSecrets.length === 0 ? (
            <Empty title="There is no webhook secret here yet.">
              <p>
                The secret of the settings works meanwhile. Give each organization one of its own, so that no
                organization can send in the name of another.
              </p>
            </Empty>
          ) : (
            <Table
              columns={['Name', 'Accepted for', 'Created', 'Replaced']}
              hasActions={mayUse('webhooks:write')}
              pages={{ offset, shown: webhookSecrets.length, total, size: pageSize, onMove: setOffset }}
            >
              {webhookSecrets.map((secret) => (
                <tr key={secret.id}>
                  <th scope="row">
                    {nameOf(secret)}{' '}
                    {secret.unused && (
                      <Pill
                        tone="warn"
                        title="The app of this secret is not used, so the secret accepts no deliveries."
                      >
                        not used
                      </Pill>
                    )}
                  </th>
                  <td>
                    {loginOf(secret.orgId)} <span class="faint">{secret.host}</span>
                  </td>
                  <td>
                    <span class="phone-only">created</span> <Time at={secret.createdAt} />
                  </td>
                  <td>
                    <span class="phone-only">replaced</span>{' '}
                    {secret.rotatedAt === null ? <span class="faint">never</span> : <Time at={secret.rotatedAt} />}{' '}
                    <OverlapPill until={secret.overlapEndsAt} />
                  </td>
                  {mayUse('webhooks:write') && (
                    <td class="row-actions">
                      <button
                        type="button"
                        class="small"
                        aria-label={`Replace ${nameOf(secret)}`}
                        onClick={() => setOpen({ what: 'rotate', secret })}
                      >
                        Replace
                      </button>
                      <button
                        type="button"
                        class="small"
                        aria-label={`Revoke ${nameOf(secret)}`}
                        onClick={() => setOpen({ what: 'revoke', secret })}
                      >
                        Revoke
                      </button>
                    </td>
                  )}
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
      {open?.what === 'new' && <NewSecret onCreated={show} onClose={close} />}
      {dialogs.secret && (
        <ShownOnce
          key={dialogs.secret.secret}
          title={`Secret ${nameOf(dialogs.secret)}`}
          secret={dialogs.secret.secret ?? ''}
          label="the secret"
          onClose={dialogs.dropSecret}
        >
          <p>
            Enter it at the webhook of the host, as “Secret”. The address of the webhook is{' '}
            <Copy text={`${location.origin}${base}/api/webhooks/scm`} label="the webhook address" />
            and its content type is <code>application/json</code>.
          </p>
        </ShownOnce>
      )}
      {open?.what === 'rotate' && (
        <Replacement
          title={`Replace ${nameOf(open.secret)}?`}
          label="The present value works for"
          onConfirm={async (overlapHours) =>
            show(await api().rotateWebhookSecret({ secretId: open.secret.id, overlapHours }))
          }
          onClose={close}
        >
          <p>A new value is made. Enter it at the host before the present value ends.</p>
        </Replacement>
      )}
      {open?.what === 'revoke' && (
        <Question
          title={`Revoke ${nameOf(open.secret)}?`}
          action="Revoke"
          typed={{ name: nameOf(open.secret), of: 'secret' }}
          onConfirm={async () => {
            await api().revokeWebhookSecret({ secretId: open.secret.id });
            showToast('The secret is revoked.');
            loaded.reload();
            close();
          }}
          onClose={close}
        >
          <p>Deliveries that the host signs with this secret are refused from now on.</p>
        </Question>
      )}
    </section>
  );
}

/** Says until when a former value still works, if it does. */
export function OverlapPill({ until }: { until: string | null }): JSX.Element | null {
  if (until === null || Date.parse(until) <= Date.now()) return null;
  return (
    <Pill tone="busy">
      former value ends <Time at={until} isAhead />
    </Pill>
  );
}

function NewSecret({
  onCreated,
  onClose,
}: {
  onCreated: (secret: NewWebhookSecret) => void;
  onClose: () => void;
}): JSX.Element {
  const isInstance = isInstanceKey();
  const [name, setName] = useState('');
  const [org, setOrg] = useState('');
  const [host, setHost] = useState('');
  const [secret, setSecret] = useState('');
  const [isBusy, setBusy] = useState(false);
  const { error, attempt } = useAttempt();
  const organizations = useOrganizations();
  const hosts = useLoad('hosts', (signal) => api().listHosts({}, { signal }), [
    (isInstance && mayUse('repos:read')) || null,
  ]);
  const known = hosts.data?.hosts ?? [];
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    const given = {
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(org !== '' && { org }),
      ...(org === '' && host !== '' && { host }),
      ...(secret !== '' && { secret }),
    };
    setBusy(true);
    await attempt(async () => onCreated(await api().createWebhookSecret(given)));
    setBusy(false);
  };
  return (
    <Dialog title="New webhook secret" onClose={onClose}>
      <form class="stack" onSubmit={create}>
        <Fields error={error} faults={faultsOf(error, ['name', 'org', 'host', 'secret'])}>
          <TextField
            label="Name"
            about="Such as where the webhook is set up."
            at="name"
            value={name}
            onChange={setName}
            input={{ 'data-first': true, maxLength: 100 }}
          />
          <OrganizationField
            label="Accepted for"
            none="all organizations of a host"
            organizations={organizations.data}
            value={org}
            onChange={setOrg}
          />
          {isInstance && org === '' && known.length > 1 && (
            <SelectField
              label="Host"
              at="host"
              value={host}
              onChange={setHost}
              options={known.map(({ origin, isDefault }) => [isDefault ? '' : origin, origin] as const)}
            />
          )}
          <TextField
            label="Value"
            about="Empty: the service makes one and shows it once."
            at="secret"
            value={secret}
            onChange={setSecret}
            input={{ class: 'veiled' }}
          />
        </Fields>
        <footer class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            Create secret
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
