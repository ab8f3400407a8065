/** Finishes the creation of an app after the host has returned the browser, and shows how to install the app. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type HostApp, UnauthorizedError } from '../../sdk/index.ts';
import { Empty, ErrorBox, Skeleton } from '../parts/feedback.tsx';
import { Icon } from '../parts/icons.tsx';
import { appReturn, forgetAppReturn } from '../state/app-return.ts';
import { api, noteRefusal } from '../state/session.ts';
import { hostName } from '../text/host-access.ts';

type State = 'waiting' | 'nothing' | { app: HostApp } | { error: Error };

export function CreatedApp(): JSX.Element {
  const [state, setState] = useState<State>(() => (appReturn() ? 'waiting' : 'nothing'));
  useEffect(() => {
    const returned = appReturn();
    if (!returned) return;
    api()
      .createHostApp(returned)
      .then(
        (app) => {
          forgetAppReturn();
          setState({ app });
        },
        (error: Error) => {
          // Without a session nothing was used up. The screen opens again after the sign-in.
          if (!(error instanceof UnauthorizedError)) forgetAppReturn();
          noteRefusal(error);
          setState({ error });
        },
      );
  }, []);
  if (state === 'waiting') return <Skeleton lines={3} />;
  if (state === 'nothing')
    return (
      <Empty title="No app is being created.">
        <p>
          Begin in the <Link href="/app/settings/hosts">settings</Link>, at the host of the app.
        </p>
      </Empty>
    );
  if ('error' in state)
    return (
      <>
        <ErrorBox error={state.error} />
        <p>
          <Link href="/app/settings/hosts">Begin again in the settings</Link>
        </p>
      </>
    );
  return <Ready of={state.app} />;
}

function Ready({ of: { name, origin, installUrl } }: { of: HostApp }): JSX.Element {
  return (
    <section class="card app-ready" aria-label="Next step">
      <p role="status">
        <Icon name="check" /> The app {name} is ready. Install it on your repositories.
      </p>
      <p class="faint">They appear here as soon as {hostName(origin)} reports the installation.</p>
      <p class="app-ready-actions">
        <a class="button primary" href={installUrl} target="_blank" rel="noreferrer">
          Install the app
        </a>
        <Link href="/">Go to the inbox</Link>
      </p>
    </section>
  );
}
