/** The API keys: create, replace and revoke them. A new key is shown once. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Key, NewKey, Operations } from '../../../sdk/index.ts';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty, ErrorBox, Pill, Shown } from '../../parts/feedback.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useAttempt } from '../../state/attempt.ts';
import { useLoad } from '../../state/load.ts';
import { api, base, session } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';

type Scope = NonNullable<Operations['createKey']['input']['scopes']>[number];

const pageSize = 50;
/** Hours in which the former key of a replaced one still works. */
const overlapHours = 24;
/** Age from which a key is marked as old. */
const oldMs = 182 * 86_400_000;

const groups: readonly { name: string; about: string; scopes: readonly Scope[] }[] = [
  {
    name: 'Read',
    about: 'repositories, drafts, statistics',
    scopes: ['repos:read', 'ranges:read', 'drafts:read', 'stats:read'],
  },
  { name: 'Write notes', about: 'ranges and drafts', scopes: ['ranges:write', 'drafts:write'] },
  { name: 'Publish', about: 'send notes to channels', scopes: ['publish:write'] },
  {
    name: 'Configure',
    about: 'repositories, channels, webhooks',
    scopes: ['repos:write', 'orgs:read', 'orgs:write', 'webhooks:read', 'webhooks:write'],
  },
  { name: 'Manage keys', about: 'create and revoke keys', scopes: ['keys:read', 'keys:write'] },
];

type Open = { what: 'new' } | { what: 'shown'; key: NewKey } | { what: 'revoke' | 'rotate'; key: Key };

export function Keys(): JSX.Element {
  const [offset, setOffset] = useState(0);
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const loaded = useLoad(
    'keys',
    (signal) => api().listKeys({ limit: pageSize, offset, sort: 'createdAt', order: 'desc' }, { signal }),
    [offset],
  );
  const close = (): void => setOpen(undefined);
  const show = (key: NewKey): void => {
    loaded.reload();
    setOpen({ what: 'shown', key });
  };
  return (
    <section class="settings-part" aria-label="API keys">
      <header>
        <h2>API keys</h2>
        <button type="button" onClick={() => setOpen({ what: 'new' })}>
          New key
        </button>
      </header>
      <Shown of={loaded} lines={4}>
        {({ keys, total }) =>
          keys.length === 0 ? (
            <Empty title="There is no key yet." />
          ) : (
            <Table
              columns={['Name', 'Key', 'State', 'Last used']}
              hasActions
              pages={{ offset, shown: keys.length, total, size: pageSize, onMove: setOffset }}
            >
              {keys.map((key) => (
                <Row key={key.id} of={key} onOpen={(what) => setOpen({ what, key })} />
              ))}
            </Table>
          )
        }
      </Shown>
      {open?.what === 'new' && <NewKeyDialog onCreated={show} onClose={close} />}
      {open?.what === 'shown' && <ShownOnce of={open.key} onClose={close} />}
      {open?.what === 'rotate' && <Rotate of={open.key} onCreated={show} onClose={close} />}
      {open?.what === 'revoke' && (
        <Revoke
          of={open.key}
          onRevoked={() => {
            loaded.reload();
            close();
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

function Row({ of, onOpen }: { of: Key; onOpen: (what: 'revoke' | 'rotate') => void }): JSX.Element {
  const { id, name, prefix, last4, status, createdAt, lastUsedAt } = of;
  const isActive = status === 'active';
  const isOwn = typeof session.value !== 'string' && session.value.key.id === id;
  const isOld = isActive && Date.now() - Date.parse(createdAt) > oldMs;
  return (
    <tr>
      <th scope="row">
        {name} {isOwn && <span class="faint">this session</span>}
      </th>
      <td>
        <code>
          {prefix}…{last4}
        </code>
      </td>
      <td>
        <Pill tone={isActive ? 'good' : 'plain'}>{status}</Pill> {isOld && <Pill tone="warn">over 6 months old</Pill>}
      </td>
      <td>{lastUsedAt === null ? <span class="faint">never</span> : <Time at={lastUsedAt} />}</td>
      <td class="row-actions">
        {isActive && (
          <>
            <button type="button" class="small" aria-label={`Replace ${name}`} onClick={() => onOpen('rotate')}>
              Replace
            </button>
            <button type="button" class="small" aria-label={`Revoke ${name}`} onClick={() => onOpen('revoke')}>
              Revoke
            </button>
          </>
        )}
      </td>
    </tr>
  );
}

function NewKeyDialog({ onCreated, onClose }: { onCreated: (key: NewKey) => void; onClose: () => void }): JSX.Element {
  const isInstance = typeof session.value !== 'string' && session.value.key.orgId === null;
  const [name, setName] = useState('');
  const [org, setOrg] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>(['Read', 'Write notes']);
  const { error, attempt } = useAttempt();
  const organizations = useLoad(
    'organizations',
    (signal) => api().listOrganisations({ limit: 100, sort: 'name', order: 'asc' }, { signal }),
    [isInstance || null],
  );
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    const scopes = groups.filter((group) => chosen.includes(group.name)).flatMap((group) => group.scopes);
    const owner = isInstance ? (org === '' ? { instance: true } : { org }) : {};
    await attempt(async () => onCreated(await api().createKey({ name: name.trim(), scopes, ...owner })));
  };
  return (
    <Dialog title="New API key" onClose={onClose}>
      <form class="stack" onSubmit={create}>
        <label>
          <span>Name, such as the person or the program that uses it</span>
          <input
            data-first
            type="text"
            maxLength={100}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        {isInstance && (
          <label>
            <span>May see</span>
            <select value={org} onChange={(event) => setOrg(event.currentTarget.value)}>
              <option value="">all organizations</option>
              {organizations.data?.organizations.map(({ id, login }) => (
                <option key={id} value={id}>
                  {login}
                </option>
              ))}
            </select>
          </label>
        )}
        <fieldset class="ticks">
          <legend>May do</legend>
          {groups.map((group) => (
            <label key={group.name}>
              <input
                type="checkbox"
                checked={chosen.includes(group.name)}
                onChange={({ currentTarget }) =>
                  setChosen((before) =>
                    currentTarget.checked ? [...before, group.name] : before.filter((each) => each !== group.name),
                  )
                }
              />
              <span>
                {group.name}
                <span class="faint">{group.about}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {error && <ErrorBox error={error} />}
        <footer class="dialog-actions">
          <button type="submit" class="primary" disabled={name.trim() === '' || chosen.length === 0}>
            Create key
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Shows a new key. The service keeps only its digest, so no one can show it again. */
function ShownOnce({ of, onClose }: { of: NewKey; onClose: () => void }): JSX.Element {
  const address = `${location.origin}${base}/api/repos`;
  return (
    <Dialog title={`Key ${of.name}`} onClose={onClose}>
      <p>Copy the key now. It is not shown again.</p>
      <p>
        <Copy text={of.key} label="the key" />
      </p>
      <p class="faint">To try it:</p>
      <p>
        <Copy text={`curl -H "Authorization: Bearer ${of.key}" ${address}`} label="the command" />
      </p>
      <footer class="dialog-actions">
        <button type="button" class="primary" onClick={onClose}>
          I have copied it
        </button>
      </footer>
    </Dialog>
  );
}

function Rotate({
  of,
  onCreated,
  onClose,
}: {
  of: Key;
  onCreated: (key: NewKey) => void;
  onClose: () => void;
}): JSX.Element {
  const { error, attempt } = useAttempt();
  const rotate = async (): Promise<void> => onCreated(await api().rotateKey({ keyId: of.id, overlapHours }));
  return (
    <Dialog title={`Replace ${of.name}?`} onClose={onClose}>
      <p>A new key with the same rights is made. The key of now works for {overlapHours} hours more.</p>
      {error && <ErrorBox error={error} />}
      <footer class="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="primary" onClick={() => void attempt(rotate)}>
          Replace
        </button>
      </footer>
    </Dialog>
  );
}

function Revoke({ of, onRevoked, onClose }: { of: Key; onRevoked: () => void; onClose: () => void }): JSX.Element {
  const [typed, setTyped] = useState('');
  const { error, attempt } = useAttempt();
  const id = useId();
  const revoke = async (): Promise<void> => {
    const { endedKeys } = await api().revokeKey({ keyId: of.id });
    showToast(endedKeys > 0 ? `Revoked, with ${endedKeys} keys that it had created.` : 'The key is revoked.');
    onRevoked();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void attempt(revoke);
  };
  return (
    <Dialog title={`Revoke ${of.name}?`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p>Programs and sessions with this key stop at once. Keys that were created with it end too.</p>
        <label for={id}>
          <span>Enter the name of the key to go on</span>
          <input
            id={id}
            data-first
            type="text"
            autocomplete="off"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        {error && <ErrorBox error={error} />}
        <footer class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="danger" disabled={typed.trim() !== of.name}>
            Revoke
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
