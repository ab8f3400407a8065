/** Says what is known about the change of a line: its title, why it is listed, and what is wrong with the line. */
import type { JSX } from 'preact';
import type { PullRequest } from '../../../sdk/index.ts';
import { Icon } from '../../parts/icons.tsx';
import { Inline } from '../../parts/marked.tsx';
import { useLoad } from '../../state/load.ts';
import { api, mayUse } from '../../state/session.ts';
import { kindSourceOf, reasonOf, sectionWords, wordSourceOf } from '../../text/words.ts';
import type { Mark } from './marks.ts';

export function MarkCard({ mark, repoId }: { mark: Mark; repoId: string }): JSX.Element {
  const { label, kind, name, entry, warnings } = mark;
  // A key that may not read the change itself sees the words of the line.
  const isKnown = kind !== 'commit' && entry !== undefined && entry.numbers.length > 0 && mayUse('repos:read');
  const { data } = useLoad(
    'change of a line',
    (signal): Promise<Pick<PullRequest, 'title' | 'author'>> => {
      const input = { repoId, number: name, limit: 1 };
      return kind === 'pr' ? api().getPullRequest(input, { signal }) : api().getIssue(input, { signal });
    },
    [repoId, kind, isKnown ? name : null],
  );
  return (
    <span id="mark-card" class="mark-card" role="tooltip">
      <strong>
        {label} <Inline text={data?.title ?? entry?.text ?? ''} markup="markdown" />
      </strong>
      {warnings.map((text) => (
        <span key={text} class="warn-text">
          <Icon name="warning" /> {text}
        </span>
      ))}
      {entry && entry.reason !== null ? (
        <>
          <span>{reasonOf({ reason: entry.reason })}</span>
          <span class="faint">
            {entry.kind !== null && `${sectionWords[entry.kind]}: `}
            {kindSourceOf(entry.kindBy ?? undefined)}; {wordSourceOf(entry.source)}
          </span>
        </>
      ) : (
        <span class="faint">Nothing more is known about this change.</span>
      )}
      {data && <span class="faint">by {data.author.handle}</span>}
    </span>
  );
}
