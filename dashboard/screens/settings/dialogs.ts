/** Holds the open dialog of a part of the settings, and the secrets that it shows once. */
import { type Dispatch, type StateUpdater, useState } from 'preact/hooks';

interface Dialogs<Open, Secret> {
  open: Open | undefined;
  setOpen: Dispatch<StateUpdater<Open | undefined>>;
  /** Closes the dialog of this render. A call that ends late does not close the dialog of another action. */
  close: () => void;
  /** The secret to show. The next one waits until this one is copied, since the service shows none of them again. */
  secret: Secret | undefined;
  addSecret: (secret: Secret) => void;
  dropSecret: () => void;
}

export function useDialogs<Open extends object, Secret extends object>(): Dialogs<Open, Secret> {
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const [secrets, setSecrets] = useState<readonly Secret[]>([]);
  return {
    open,
    setOpen,
    close: () => setOpen((now) => (now === open ? undefined : now)),
    secret: secrets[0],
    addSecret: (secret) => setSecrets((all) => [...all, secret]),
    dropSecret: () => setSecrets((all) => all.slice(1)),
  };
}
