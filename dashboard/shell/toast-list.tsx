/** Shows the short messages. Screen readers read each message once. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { Icon } from '../parts/icons.tsx';
import { closeToast, toasts } from '../state/toasts.ts';

export function ToastList(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, link }) => (
        <div key={id} class="toast">
          <span>{text}</span>
          {link && <Link href={link.href}>{link.text}</Link>}
          <button type="button" class="icon-button" aria-label="Close" onClick={() => closeToast(id)}>
            <Icon name="cross" />
          </button>
        </div>
      ))}
    </div>
  );
}
