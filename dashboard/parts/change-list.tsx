/** Shows changes in groups, as the notes for engineers do, and what was left out with the reasons. */
import type { JSX } from 'preact';
import type { Change } from '../../sdk/index.ts';
import { count, kindSourceOf, reasonOf, sectionNames, sectionWords } from '../text/words.ts';
import { Pill } from './feedback.tsx';

/**
 * @param total number of changes in the list; with more than `changes`, the list says so
 * @param compareUrl address on the host that compares the two ends; undefined if it is not known
 */
export function ChangeList({
  changes,
  total,
  compareUrl,
}: {
  changes: readonly Change[];
  total: number;
  compareUrl: string | undefined;
}): JSX.Element {
  const hostUrl = repositoryUrl(compareUrl);
  const included = changes.filter((change) => change.included);
  const groups = sectionNames
    .map((section) => ({ section, rows: included.filter((change) => (change.section ?? 'other') === section) }))
    .filter(({ rows }) => rows.length > 0);
  const out = changes.filter((change) => !change.included);
  return (
    <>
      {groups.map(({ section, rows }) => (
        <section key={section} class="change-group" aria-label={sectionWords[section]}>
          <h3>
            {sectionWords[section]} <span class="number">{rows.length}</span>
          </h3>
          <ul class="changes">
            {rows.map((change) => (
              <Row key={idOf(change)} change={change} hostUrl={hostUrl} />
            ))}
          </ul>
        </section>
      ))}
      {out.length > 0 && (
        <details class="left-out">
          <summary>{count(out.length, 'change')} left out</summary>
          <ul class="changes">
            {out.map((change) => (
              <Row key={idOf(change)} change={change} hostUrl={hostUrl} />
            ))}
          </ul>
        </details>
      )}
      {total > changes.length && (
        <p class="faint">
          The first {changes.length} of {count(total, 'change')} are shown.
        </p>
      )}
    </>
  );
}

/** Address of the repository on its host; undefined if it is not known. */
function repositoryUrl(compareUrl: string | undefined): string | undefined {
  return compareUrl?.replace(/\/compare\/.*$/, '');
}

function Row({ change, hostUrl }: { change: Change; hostUrl: string | undefined }): JSX.Element {
  const { number, sha, title, included, mayBreak } = change;
  const id = number !== undefined ? `#${number}` : (sha?.slice(0, 7) ?? '');
  const path = number !== undefined ? `issues/${number}` : `commit/${sha}`;
  return (
    <li title={`${reasonOf(change)}; ${kindSourceOf(change.kindBy)}`}>
      <span class="change-id">
        {hostUrl === undefined ? (
          id
        ) : (
          <a href={`${hostUrl}/${path}`} target="_blank" rel="noreferrer">
            {id}
          </a>
        )}
      </span>
      <span class="change-title">
        <Title text={title} />
        {!included && <span class="faint"> {reasonOf(change)}</span>}
        {included && change.reason !== 'listed' && change.reason !== 'direct' && (
          <span class="faint"> {reasonOf(change)}</span>
        )}
      </span>
      {included && isUnlabelled(change) && (
        <Pill tone="warn" title="No label, prefix or note says what kind of change this is">
          no kind
        </Pill>
      )}
      {mayBreak && (
        <Pill tone="warn" title="The title announces a removal, but nothing marks the change as breaking">
          may break
        </Pill>
      )}
    </li>
  );
}

/** A title, with the code in it as code. */
function Title({ text }: { text: string }): JSX.Element {
  return (
    <>
      {text.split(/`([^`]+)`/).map((part, i) => {
        return i % 2 === 0 ? part : <code key={i}>{part}</code>;
      })}
    </>
  );
}

/** Whether nothing says what kind of change this is. */
function isUnlabelled({ kind, kindBy, section }: Change): boolean {
  return kind === 'pull' && kindBy === undefined && (section === undefined || section === 'other');
}

function idOf({ kind, number, sha }: Change): string {
  return `${kind} ${number ?? sha}`;
}
