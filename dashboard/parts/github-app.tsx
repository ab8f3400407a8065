/**
 * Creates an app on a host of the kind github. The browser posts a manifest to the host, where the person confirms it.
 * The host then returns the browser to the screen of `screens/github-app.tsx`.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAttempt } from '../state/attempt.ts';
import { api, mayUse } from '../state/session.ts';
import { hostName } from '../text/host-access.ts';
import { Options } from './choice.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorBox } from './feedback.tsx';
import { TextField } from './fields.tsx';

/** Time for the browser to open the host. */
const leaveMs = 10_000;
const owners = { person: 'My own account', organization: 'An organization' } as const;

/** The button that begins. It is left out if the key may not create an app. */
export function GithubApp({ origin }: { origin: string }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  if (!mayUse('repos:write') || !mayUse('webhooks:write')) return null;
  return (
    <>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        Create a GitHub App
      </button>
      {isOpen && <Sheet origin={origin} onClose={() => setOpen(false)} />}
    </>
  );
}

function Sheet({ origin, onClose }: { origin: string; onClose: () => void }): JSX.Element {
  const [owner, setOwner] = useState<keyof typeof owners>('organization');
  const [login, setLogin] = useState('');
  const [isLeaving, setLeaving] = useState(false);
  const { error, attempt, forget } = useAttempt();
  const organization = owner === 'organization' ? login.trim() : undefined;
  const host = hostName(origin);
  const leave = async (event: Event): Promise<void> => {
    event.preventDefault();
    setLeaving(true);
    forget();
    const isMade = await attempt(async () => {
      const { url, manifest } = await api().createAppManifest({ origin, ...(organization && { organization }) });
      postManifest(url, manifest);
    });
    // A person who comes back to this page, or whose host does not answer, can try again.
    setTimeout(() => setLeaving(false), isMade ? leaveMs : 0);
  };
  return (
    <Dialog title="Create a GitHub App" onClose={onClose}>
      <form class="stack" onSubmit={leave}>
        <p>
          {host} shows the name of the app and asks you to create it, then brings you back. The webhook, the permissions
          and the keys are set up for you.
        </p>
        <fieldset class="choice">
          <legend>Owner of the app</legend>
          <Options name="app-owner" texts={owners} chosen={owner} onChoose={setOwner} />
        </fieldset>
        {owner === 'organization' ? (
          <TextField
            label="Login of the organization"
            value={login}
            onChange={setLogin}
            input={{
              'data-first': true,
              required: true,
              maxLength: 100,
              pattern: '[A-Za-z0-9][A-Za-z0-9_\\-]*',
              title: 'Letters, digits and hyphens, as in the address of the organization',
            }}
          />
        ) : (
          <p class="faint">The app can then be installed for your own repositories only.</p>
        )}
        {error && <ErrorBox error={error} />}
        <footer class="dialog-actions">
          <button type="submit" class="primary" disabled={isLeaving || organization === ''}>
            {isLeaving ? `Opening ${host}…` : `Continue to ${host}`}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Leaves the dashboard with a form, because the host takes a manifest only from a form. */
function postManifest(url: string, manifest: object): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = url;
  const field = document.createElement('input');
  field.type = 'hidden';
  field.name = 'manifest';
  field.value = JSON.stringify(manifest);
  form.append(field);
  document.body.append(form);
  form.submit();
}
