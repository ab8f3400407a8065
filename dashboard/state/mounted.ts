/** Reports to code that waits for a reply whether its component is still on the screen. */
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
