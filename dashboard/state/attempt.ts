/** Calls the service for an action of the person, and keeps why the last attempt failed. */
import { useState } from 'preact/hooks';
import { noteRefusal } from './session.ts';

export interface Attempts {
  /** Why the last attempt failed; undefined after a success. */
  error: Error | undefined;
  /** Runs an action. Resolves to whether it succeeded, and never rejects. */
  attempt: (action: () => Promise<unknown>) => Promise<boolean>;
  /** Forgets the error. */
  forget: () => void;
}

export function useAttempt(): Attempts {
  const [error, setError] = useState<Error | undefined>(undefined);
  const attempt = async (action: () => Promise<unknown>): Promise<boolean> => {
    try {
      await action();
    } catch (found) {
      noteRefusal(found);
      setError(found as Error);
      return false;
    }
    setError(undefined);
    return true;
  };
  return { error, attempt, forget: () => setError(undefined) };
}
