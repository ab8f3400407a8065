/** The list of keys. */
import type { JSX } from 'preact';
import { Dialog } from '../parts/dialog.tsx';
import { isHelpOpen, shortcuts } from './keys.ts';

export function Help(): JSX.Element | null {
  if (!isHelpOpen.value) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (isHelpOpen.value = false)}>
      <dl class="keys">
        {shortcuts.map(({ keys, does }) => (
          <div key={keys}>
            <dt>{keys.split(' ').map((key) => (key === 'or' ? ' or ' : <kbd key={key}>{key}</kbd>))}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
