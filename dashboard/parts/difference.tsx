/** Shows how two texts differ: by lines, with the changed words of a line marked. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { diffLines, linesOf, nearChanges, type Piece, withWords } from '../text/diff.ts';

const signs = { same: ' ', removed: '−', added: '+' } as const;

export function Difference({ before, after }: { before: string; after: string }): JSX.Element {
  const rows = useMemo(() => nearChanges(withWords(diffLines(linesOf(before), linesOf(after)))), [before, after]);
  if (rows.length <= 1 && !rows[0]) return <p class="faint">The texts are the same.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <pre class="diff" tabIndex={0}>
      {rows.map((row, i) => (
        <span key={i} class={row?.kind ?? 'gap'}>
          {row === null ? '⋯' : `${signs[row.kind]} `}
          {row !== null && (row.words ? <Words of={row.words} kind={row.kind} /> : row.line)}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

/** Words of a line. Those that the other text does not have are marked. */
export function Words({ of, kind }: { of: readonly Piece[]; kind: 'same' | 'removed' | 'added' }): JSX.Element {
  const Tag = kind === 'removed' ? 'del' : 'ins';
  return <>{of.map(({ text, isChanged }, i) => (isChanged ? <Tag key={i}>{text}</Tag> : text))}</>;
}
