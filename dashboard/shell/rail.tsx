/** The rail at the left: the parts of the dashboard. On a phone it is a bar at the bottom. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Dialog } from '../parts/dialog.tsx';
import { errorText } from '../parts/feedback.tsx';
import { Icon, type IconName, Sign } from '../parts/icons.tsx';
import { UnsavedList } from '../parts/unsaved-list.tsx';
import { isAllSaved } from '../state/leave.ts';
import { session, signOut } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { dropAllInput, unsaved } from '../state/unsaved.ts';
import { isHelpOpen, isJumpOpen } from './keys.ts';
import { Switcher } from './switcher.tsx';

const parts: readonly { href: string; name: string; icon: IconName }[] = [
  { href: '/', name: 'Inbox', icon: 'inbox' },
  { href: '/app/repositories', name: 'Repositories', icon: 'repository' },
  { href: '/app/publications', name: 'Publications', icon: 'publication' },
  { href: '/app/deliveries', name: 'Deliveries', icon: 'delivery' },
  { href: '/app/statistics', name: 'Statistics', icon: 'statistics' },
  { href: '/app/settings', name: 'Settings', icon: 'settings' },
];

/** Ends the session. Meanwhile nothing can be typed. A failure is shown, because the session then still works. */
async function leave(): Promise<void> {
  document.body.inert = true;
  try {
    await signOut();
    dropAllInput();
  } catch (error) {
    showToast(`Not signed out. ${errorText(error as Error)}`);
  } finally {
    document.body.inert = false;
  }
}

export function Rail(): JSX.Element {
  const [path] = useLocation();
  const [isAsking, setAsking] = useState(false);
  // A draft belongs to its repository.
  const place = path.replace('/app/drafts', '/app/repositories');
  const isCurrent = (href: string): boolean => (href === '/' ? path === '/' : place.startsWith(href));
  const key = typeof session.value === 'string' ? undefined : session.value.key;
  return (
    <>
      <div class="rail">
        <Link href="/" class="brand">
          <Sign />
          Tidings
        </Link>
        <Switcher />
        <button type="button" class="jump" onClick={() => (isJumpOpen.value = true)}>
          <Icon name="search" />
          <span>Jump to…</span>
          <kbd>/</kbd>
        </button>
        <nav aria-label="Dashboard">
          <ul>
            {parts.map(({ href, name, icon }) => (
              <li key={href}>
                <Link href={href} aria-current={isCurrent(href) ? 'page' : undefined}>
                  <Icon name={icon} />
                  <span>{name}</span>
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <footer>
          <p class="account" title={key ? `API key ${key.name}` : undefined}>
            <Icon name="person" />
            <span>{key?.name ?? 'Signed in'}</span>
          </p>
          <button type="button" class="quiet" onClick={() => (isHelpOpen.value = true)}>
            Shortcuts
          </button>
          <button type="button" class="quiet" onClick={async () => ((await isAllSaved()) ? leave() : setAsking(true))}>
            Sign out
          </button>
        </footer>
      </div>
      {isAsking && <LeaveDialog onStay={() => setAsking(false)} />}
    </>
  );
}

/** Asks before the input of forms is dropped. */
function LeaveDialog({ onStay }: { onStay: () => void }): JSX.Element {
  return (
    <Dialog title="Sign out without saving?" onClose={onStay}>
      <UnsavedList onOpen={onStay} />
      {unsaved.value.length === 0 && <p>Everything is saved now.</p>}
      <footer class="dialog-actions">
        <button type="button" data-first onClick={onStay}>
          Stay
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            onStay();
            void leave();
          }}
        >
          Sign out
        </button>
      </footer>
    </Dialog>
  );
}
