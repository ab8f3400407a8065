/** Leads from one page of a list to the next. */
import type { JSX } from 'preact';

export function Pager({
  offset,
  shown,
  total,
  size,
  onMove,
}: {
  offset: number;
  shown: number;
  total: number;
  size: number;
  onMove: (offset: number) => void;
}): JSX.Element | null {
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
