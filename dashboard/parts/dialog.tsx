/** A dialog in front of the screen. The browser keeps the focus inside, closes it with Escape, and returns the focus. */
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icons.tsx';

/** @param onClose without it, the dialog has no other end than its own buttons */
export function Dialog({
  title,
  size = 'small',
  onClose,
  children,
}: {
  title: string;
  size?: 'small' | 'wide' | 'side';
  onClose?: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const latest = useRef(onClose);
  latest.current = onClose;
  const id = useId();
  // The dialog has the focus before the next key of a person who types fast.
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    const show = (): void => {
      dialog?.showModal();
      (dialog?.querySelector<HTMLElement>('[data-first]') ?? heading.current)?.focus();
    };
    // A browser may close a dialog without asking. A dialog that must be answered opens again.
    const reopen = (): void => {
      latest.current?.();
      setTimeout(() => dialog?.isConnected && !dialog.open && show());
    };
    show();
    dialog?.addEventListener('close', reopen);
    return () => {
      dialog?.removeEventListener('close', reopen);
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  // A field for a file sends `cancel` too.
  const cancel = (event: Event): void => {
    if (event.target !== element.current) return;
    event.preventDefault();
    onClose?.();
  };
  // A person who selects text may release the pointer beside the dialog.
  const isPressedBeside = useRef(false);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog too
    <dialog
      ref={element}
      class={`dialog ${size}`}
      aria-labelledby={id}
      onCancel={cancel}
      onPointerDown={({ target }) => {
        isPressedBeside.current = target === element.current;
      }}
      onClick={({ target, detail }) => {
        // The second click of a double click on the button that opens the dialog does not close it.
        if (target === element.current && isPressedBeside.current && detail < 2) onClose?.();
      }}
    >
      <div class="dialog-inside">
        <header>
          <h2 id={id} ref={heading} tabIndex={-1}>
            {title}
          </h2>
          {onClose && (
            <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
              <Icon name="cross" />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}
