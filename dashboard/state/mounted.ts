/** Reports to work that runs for long whether its part of the screen is still open. */
import { type MutableRef, useEffect, useRef } from 'preact/hooks';

/** Returns an object whose `current` is true until the component is removed. */
export function useMounted(): MutableRef<boolean> {
  const isMounted = useRef(true);
  useEffect(
    () => () => {
      isMounted.current = false;
    },
    [],
  );
  return isMounted;
}
