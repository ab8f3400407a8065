/** Starts the dashboard: continues the session of the browser or asks the person to sign in, then shows the screens. */
import { signal } from '@preact/signals';
import { type JSX, render } from 'preact';
import { Router } from 'wouter-preact';
import { Sign } from './parts/icons.tsx';
import { SignIn } from './screens/sign-in.tsx';
import { Shell } from './shell/shell.tsx';
import './state/app-return.ts';
import { base, session, startSession } from './state/session.ts';

/** Why the code in the address did not sign in; undefined if it did, or if there was none. */
const fault = signal<string | undefined>(undefined);

function Dashboard(): JSX.Element | null {
  if (session.value === 'unknown') return null;
  if (session.value === 'waiting') return <Waiting />;
  if (typeof session.value === 'string') return <SignIn hasEnded={session.value === 'ended'} fault={fault.value} />;
  return (
    <Router base={base}>
      <Shell />
    </Router>
  );
}

function Waiting(): JSX.Element {
  return (
    <main class="sign-in">
      <div>
        <p class="brand">
          <Sign />
          Tidings
        </p>
        <h1>One moment</h1>
        <p role="status">The service cannot answer right now. This page asks again until it can.</p>
      </div>
    </main>
  );
}

render(<Dashboard />, document.getElementById('app') as HTMLElement);
startSession().then((found) => {
  if (session.value === 'out') fault.value = found;
});
