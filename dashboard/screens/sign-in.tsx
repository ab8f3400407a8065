/** The screen that begins a session with an API key. */
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon, Sign } from '../parts/icons.tsx';
import { base, signIn } from '../state/session.ts';

export function SignIn({ hasEnded, fault }: { hasEnded: boolean; fault: string | undefined }): JSX.Element {
  const [key, setKey] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const shown = problem ?? fault;
  useEffect(() => {
    document.title = 'Sign in · Tidings';
    field.current?.focus();
  }, []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    const found = key.trim() === '' ? 'Enter an API key.' : await signIn({ key: key.trim() });
    // After a success this screen is gone.
    if (found === undefined) return;
    setProblem(found);
    setBusy(false);
    field.current?.focus();
  };
  return (
    <main class="sign-in">
      <form onSubmit={submit} noValidate>
        <p class="brand">
          <Sign />
          Tidings
        </p>
        <h1>{hasEnded ? 'Your session has ended' : 'Sign in'}</h1>
        <p class="faint">
          {hasEnded
            ? 'Sign in again to continue where you were. Text that was not saved is kept for the key that you used.'
            : 'Release notes from merged pull requests.'}
        </p>
        {/* Programs that keep passwords store the key under this name. */}
        <input type="text" autocomplete="username" value="Tidings" readOnly hidden />
        <label for={id}>API key</label>
        <input
          id={id}
          ref={field}
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          value={key}
          aria-invalid={shown !== undefined}
          aria-describedby={`${id}-problem ${id}-help`}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <div id={`${id}-problem`} aria-live="assertive">
          {shown !== undefined && (
            <p class="field-problem">
              <Icon name="warning" /> {shown}
            </p>
          )}
        </div>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
        <p id={`${id}-help`} class="faint">
          The first key is in the data directory of the service: <code>cat data/admin-key</code>
        </p>
      </form>
      <footer>
        <a href={`${base}/notes/`}>Published notes</a>
        <a href={`${base}/docs/guide`}>API guide</a>
      </footer>
    </main>
  );
}
