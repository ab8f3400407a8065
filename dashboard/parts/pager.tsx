/** Leads from one page of a list to the next. */
import type { JSX } from 'preact';

/** Which part of a list is shown. */
export interface Pages {
  offset: number;
  /** Number of objects that are shown. */
  shown: number;
  /** Number of objects in the list. */
  total: number;
  /** Maximum number of objects on a page. */
  size: number;
  onMove: (offset: number) => void;
}

export function Pager({ offset, shown, total, size, onMove }: Pages): JSX.Element | null {
  if (total <= size) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <span class="faint">
        {offset + 1}–{offset + shown} of {total.toLocaleString('en')}
      </span>
      <button type="button" class="small" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - size))}>
        Previous
      </button>
      <button type="button" class="small" disabled={offset + shown >= total} onClick={() => onMove(offset + size)}>
        Next
      </button>
    </nav>
  );
}
