/**
 * Holds the session of this browser and the client of the API. The session itself is a cookie that scripts cannot read.
 * The browser keeps only the value that each request must repeat. Pages of other origins cannot read this value. This
 * includes pages of another port of this machine.
 */
import { signal } from '@preact/signals';
import { createClient, type Session, TidingsError, UnauthorizedError } from '../../sdk/index.ts';
import { basePath, codeInHash } from '../text/places.ts';

/**
 * The state of the session: `unknown` until the service has answered, `waiting` while it cannot say whether the session
 * of the browser is valid, `out` without a session, `ended` when a session has ended while a screen was open.
 */
export const session = signal<'unknown' | 'waiting' | 'out' | 'ended' | Session>('unknown');

/** Path of the service, without a slash at the end. */
export const base = basePath(import.meta.url);
const csrfName = 'tidings-csrf';
/** The first wait, and the longest one, before the service is asked for the session again, in milliseconds. */
const [firstWaitMs, maxWaitMs] = [1_000, 10_000];

const client = createClient({
  url: location.origin + base,
  session: { csrf: () => localStorage.getItem(csrfName) ?? undefined },
  retries: 1,
  maxWaitMs: 5_000,
});

/** Returns the client of the API. */
export function api(): typeof client {
  return client;
}

export type Scope = Session['key']['scopes'][number];

/** Whether the key of the session has all of these scopes. Requests that it may not make are not sent. */
export function mayUse(...scopes: readonly Scope[]): boolean {
  return lackedOf(...scopes).length === 0;
}

/** Returns those of the scopes that the key of the session does not have. */
export function lackedOf(...scopes: readonly Scope[]): readonly Scope[] {
  const { value } = session;
  if (typeof value !== 'object') return scopes;
  const held = value.key.scopes;
  return held.includes('*') ? [] : scopes.filter((scope) => !held.includes(scope));
}

/** Whether the session has an instance key, which may see all organizations. */
export function isInstanceKey(): boolean {
  const { value } = session;
  return typeof value === 'object' && value.key.orgId === null;
}

/**
 * Signs in with a code in the address, or continues the session that the browser has. The code leaves the address and
 * the history at once.
 * @returns why the code did not sign in, also if the browser has another session
 */
export async function startSession(): Promise<string | undefined> {
  const code = codeInHash(location.hash);
  if (code === undefined) return void (await resume());
  history.replaceState(null, '', location.pathname + location.search);
  const fault = await signIn({ code });
  if (fault === undefined) return undefined;
  await resume();
  return fault;
}

async function resume(): Promise<void> {
  for (let waitMs = firstWaitMs; localStorage.getItem(csrfName) !== null; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    const used = localStorage.getItem(csrfName);
    try {
      begin(await client.getSession());
      return;
    } catch (error) {
      // Another tab may have signed in meanwhile.
      if (error instanceof UnauthorizedError && localStorage.getItem(csrfName) !== used) continue;
      if (error instanceof UnauthorizedError) localStorage.removeItem(csrfName);
      if (!isTemporary(error)) break;
    }
    session.value = 'waiting';
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  session.value = 'out';
}

/** Whether the service was not reached, cannot answer now, or has had too many requests. */
export function isTemporary(error: unknown): boolean {
  return !(error instanceof TidingsError) || error.status >= 500 || error.status === 429;
}

/** Whether the next attempt may succeed: the service cannot answer now, or the session has ended. */
export function isPassing(error: unknown): boolean {
  return isTemporary(error) || error instanceof UnauthorizedError;
}

/** Signs in. Returns the fault in words, or undefined if the session has begun. */
export async function signIn(by: { key: string } | { code: string }): Promise<string | undefined> {
  try {
    begin(await client.createSession(by, { idempotencyKey: false }));
    return undefined;
  } catch (error) {
    if (!(error instanceof TidingsError)) return 'The service does not answer. Check the connection, then try again.';
    const wait = error.status === 429 ? ` Try again in ${error.meta.retryAfter ?? 60} seconds.` : '';
    return error.message + wait;
  }
}

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  try {
    await client.endSession();
  } catch (error) {
    // A session that has already ended is what the person asks for. Otherwise the cookie still works, so the screen stays.
    if (!(error instanceof UnauthorizedError)) throw error;
  }
  forgetSession();
}

/** Goes to the sign-in screen after the session of this browser was ended. */
export function forgetSession(): void {
  localStorage.removeItem(csrfName);
  session.value = 'out';
}

/** Notes that a call was refused because the session has ended. The person signs in again and continues. */
export function noteRefusal(error: unknown): void {
  const { value } = session;
  if (!(error instanceof UnauthorizedError) || typeof value === 'string') return;
  // Another tab may have signed in meanwhile.
  if (localStorage.getItem(csrfName) === value.csrf) localStorage.removeItem(csrfName);
  session.value = 'ended';
}

function begin(next: Session): void {
  localStorage.setItem(csrfName, next.csrf);
  session.value = next;
}

// Another tab has signed in. All tabs send its cookie now, so this one continues with that session.
addEventListener('storage', ({ key, newValue }) => {
  if (key !== csrfName || newValue === null || ['unknown', 'waiting'].includes(session.peek() as string)) return;
  session.value = 'unknown';
  void resume();
});
