/** Keeps a list off a page that has become empty, because its last items have left it. */
import { useLayoutEffect } from 'preact/hooks';

/**
 * Moves back one page while the loaded page is empty and not the first.
 * @param loadedCount number of items on the loaded page; undefined while the page is not loaded
 */
export function useFilledPage(
  loadedCount: number | undefined,
  offset: number,
  pageSize: number,
  onMove: (offset: number) => void,
): void {
  // The empty page is not shown meanwhile.
  useLayoutEffect(() => {
    if (loadedCount === 0 && offset > 0) onMove(Math.max(0, offset - pageSize));
  }, [loadedCount, offset, pageSize]);
}
