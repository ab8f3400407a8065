/** Begins new notes: asks what they cover and who reads them, and shows what falls in. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { Operations, Range, Repository, Tag } from '../../sdk/index.ts';
import { ChangeList } from '../parts/change-list.tsx';
import { Options } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty, ErrorBox, Shown } from '../parts/feedback.tsx';
import { SelectField, TextField, Ticks } from '../parts/fields.tsx';
import { useAttempt } from '../state/attempt.ts';
import { allOf, type Loaded, useLoad } from '../state/load.ts';
import { useMounted } from '../state/mounted.ts';
import { api } from '../state/session.ts';
import { count, type Persona, personas, personaWords } from '../text/words.ts';

type Bounds = Operations['createRange']['input'];
type Preview = Operations['previewRange']['reply'];

/** The choices of the person. Fields of the other ways stay, so that a change of mind loses nothing. */
interface Choice {
  way: 'release' | 'dates' | 'numbers';
  /** Tag before the notes; an empty text for the beginning. */
  from: string;
  /** Tag at the end of the notes; an empty text for what is unreleased. */
  to: string;
  fromDate: string;
  toDate: string;
  fromNumber: string;
  toNumber: string;
  /** Fields of the range that the notes begin with, which this sheet does not ask for. */
  besides: Partial<Pick<Range, (typeof followed)[number] | 'timeZone'>>;
}

/** The fields that say what an unreleased range follows. */
const followed = ['branch', 'tagPattern', 'prereleases'] as const;

const ways = { release: 'Release', dates: 'Days', numbers: 'Pull requests' } as const;

/** @param begin the range of the notes, or the tag at their end; an empty text for what is unreleased */
export function NewNotes({
  repository,
  begin,
  onClose,
}: {
  repository: Repository;
  begin: string | Range;
  onClose: () => void;
}): JSX.Element {
  const repoId = repository.id;
  const tags = useLoad(
    'tags',
    (signal) => allOf(api().each('listRepositoryTags', { repoId, limit: 100 }, { signal })),
    [repoId],
  );
  return (
    <Dialog title={`New notes for ${repository.fullName}`} size="wide" onClose={onClose}>
      <Shown of={tags}>{(all) => <Form repository={repository} tags={all} begin={begin} />}</Shown>
    </Dialog>
  );
}

function Form({
  repository,
  tags,
  begin,
}: {
  repository: Repository;
  tags: readonly Tag[];
  begin: string | Range;
}): JSX.Element {
  const [choice, setChoice] = useState<Choice>(() =>
    typeof begin === 'string' ? initialChoice(tags, begin || defaultEnd(repository, tags)) : choiceOf(tags, begin),
  );
  const [readers, setReaders] = useState<readonly Persona[]>(personas);
  const { error, attempt, forget } = useAttempt();
  const [isBusy, setBusy] = useState(false);
  const isMounted = useMounted();
  const [, navigate] = useLocation();
  const bounds = boundsOf(repository.id, choice);
  const preview = useLoad('range preview', (signal) => api().previewRange(bounds as Bounds, { signal }), [
    bounds === undefined ? null : JSON.stringify(bounds),
  ]);
  const write = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!bounds || readers.length === 0) return;
    forget();
    setBusy(true);
    const hasBegun = await attempt(async () => {
      const range = await existingOrNew(repository.id, bounds);
      const tickets = await Promise.all(readers.map((persona) => api().generateDraft({ rangeId: range.id, persona })));
      if (isMounted.current) navigate(`/app/drafts/${tickets[0]?.id}`);
    });
    if (!hasBegun) setBusy(false);
  };
  const change = (part: Partial<Choice>): void => setChoice((before) => ({ ...before, ...part }));
  const isEmpty = preview.data?.total === 0;
  return (
    <form class="new-notes" onSubmit={write}>
      <div class="new-notes-fields">
        <fieldset class="choice">
          <legend>What the notes cover</legend>
          <Options name="way" texts={ways} chosen={choice.way} onChoose={(way) => change({ way })} />
        </fieldset>
        {choice.way === 'release' && <ReleaseFields tags={tags} choice={choice} change={change} />}
        {choice.way === 'dates' && (
          <div class="pair">
            <TextField
              label="From"
              value={choice.fromDate}
              onChange={(fromDate) => change({ fromDate })}
              input={{ type: 'date' }}
            />
            <TextField
              label="To"
              value={choice.toDate}
              onChange={(toDate) => change({ toDate })}
              input={{ type: 'date' }}
            />
          </div>
        )}
        {choice.way === 'numbers' && (
          <div class="pair">
            <TextField
              label="From number"
              value={choice.fromNumber}
              onChange={(fromNumber) => change({ fromNumber })}
              input={{ type: 'number', min: 1 }}
            />
            <TextField
              label="To number"
              value={choice.toNumber}
              onChange={(toNumber) => change({ toNumber })}
              input={{ type: 'number', min: 1 }}
            />
          </div>
        )}
        <Ticks
          legend="Who reads them"
          options={personas.map((name) => [name, personaWords[name].name, personaWords[name].about] as const)}
          chosen={readers}
          onChange={setReaders}
        />
        {error && <ErrorBox error={error} />}
        <button
          type="submit"
          class="primary"
          disabled={isBusy || !bounds || readers.length === 0 || isEmpty || preview.error !== undefined}
        >
          {isBusy ? 'Writing…' : readers.length === 1 ? 'Write draft' : 'Write drafts'}
        </button>
      </div>
      <section class="new-notes-preview" aria-label="What falls in" aria-live="polite">
        {bounds ? <FallsIn of={preview} /> : <p class="faint">Choose both ends to see what falls in.</p>}
      </section>
    </form>
  );
}

function ReleaseFields({
  tags,
  choice,
  change,
}: {
  tags: readonly Tag[];
  choice: Choice;
  change: (part: Partial<Choice>) => void;
}): JSX.Element {
  const end = tags.findIndex(({ name }) => name === choice.to);
  // A tag of an earlier range may be gone.
  const known = tags.map(({ name }) => name);
  const names = [...known, ...[choice.to, choice.from].filter((name) => name !== '' && !known.includes(name))].map(
    (name) => [name, name] as const,
  );
  const beginning = choice.to === '' && tags[0] ? tags[0].name : 'The beginning';
  return (
    <div class="pair">
      <SelectField
        label="From"
        value={choice.from}
        onChange={(from) => change({ from })}
        options={[...(choice.to === '' ? [] : names.slice(end + 1)), ['', beginning]]}
        select={{ disabled: choice.to === '' }}
      />
      <SelectField
        label="To"
        value={choice.to}
        onChange={(to) => change({ to, from: tagBefore(tags, to) })}
        options={[['', 'Unreleased'], ...names]}
      />
    </div>
  );
}

function FallsIn({ of }: { of: Loaded<Preview> }): JSX.Element {
  return (
    <Shown of={of} lines={8}>
      {({ changes, total, type, prCount, issueCount, compareUrl, suggestedVersion, assumed }) =>
        total === 0 ? (
          <Empty title="Nothing falls in." />
        ) : (
          <>
            <p class="summary">
              <strong>{count(prCount, 'pull request')}</strong>
              {issueCount > 0 && <> and {count(issueCount, 'issue')}</>}
              {type === 'UNRELEASED' && suggestedVersion.version !== null && (
                <>
                  {' '}
                  · suggested version <strong>{suggestedVersion.version}</strong>
                </>
              )}
            </p>
            {assumed && (
              <p class="faint">Some commits between the tags are not known, so dates decide what falls in.</p>
            )}
            <ChangeList changes={changes} total={total} compareUrl={compareUrl} />
          </>
        )
      }
    </Shown>
  );
}

/** Returns the tag before a tag; an empty text for the beginning. */
function tagBefore(tags: readonly Tag[], to: string): string {
  return to === '' ? '' : (tags[tags.findIndex(({ name }) => name === to) + 1]?.name ?? '');
}

/** Returns the newest tag if nothing is unreleased, and otherwise an empty text for what is unreleased. */
function defaultEnd({ unreleased }: Repository, tags: readonly Tag[]): string {
  return unreleased && unreleased.changes + unreleased.dependencyUpdates === 0 ? (tags[0]?.name ?? '') : '';
}

function initialChoice(tags: readonly Tag[], to: string): Choice {
  const today = new Date().toISOString().slice(0, 10);
  const [newest] = tags;
  return {
    way: 'release',
    from: tagBefore(tags, to),
    to,
    fromDate: newest?.date.slice(0, 10) ?? today,
    toDate: today,
    fromNumber: '',
    toNumber: '',
    besides: {},
  };
}

/** Returns the choice that makes the notes of a range. */
function choiceOf(tags: readonly Tag[], range: Range): Choice {
  const { type, fromTag, toTag, fromDate, toDate, fromPrNumber, toPrNumber } = range;
  const { branch, tagPattern, prereleases, timeZone } = range;
  const besides = { branch, tagPattern, prereleases, timeZone };
  const choice = { ...initialChoice(tags, (type !== 'UNRELEASED' && toTag) || ''), besides };
  if (type === 'DATE_BASED') return { ...choice, way: 'dates', fromDate: fromDate ?? '', toDate: toDate ?? '' };
  if (type === 'PR_BASED')
    return { ...choice, way: 'numbers', fromNumber: String(fromPrNumber ?? ''), toNumber: String(toPrNumber ?? '') };
  return type === 'UNRELEASED' ? choice : { ...choice, from: fromTag ?? '' };
}

/** Returns the bounds of the range; undefined while the choice is not complete. */
function boundsOf(repoId: string, choice: Choice): Bounds | undefined {
  const { way, from, to, fromDate, toDate, fromNumber, toNumber, besides } = choice;
  if (way === 'dates') {
    const zone = besides.timeZone !== undefined && { timeZone: besides.timeZone };
    return fromDate === '' || toDate === '' ? undefined : { type: 'DATE_BASED', repoId, fromDate, toDate, ...zone };
  }
  if (way === 'numbers') {
    const [fromPrNumber, toPrNumber] = [Number(fromNumber), Number(toNumber)];
    if (!(fromPrNumber > 0) || !(toPrNumber > 0)) return undefined;
    return { type: 'PR_BASED', repoId, fromPrNumber, toPrNumber };
  }
  if (to === '') {
    const own = followed.flatMap((name) => (besides[name] == null ? [] : [[name, besides[name]]]));
    return { type: 'UNRELEASED', repoId, ...Object.fromEntries(own) };
  }
  if (from === '') return { type: 'FIRST_RELEASE', repoId, toTag: to };
  return { type: 'TAG_BASED', repoId, fromTag: from, toTag: to };
}

/** Finds the range with these bounds, so that its drafts and their edits stay, or creates it. */
async function existingOrNew(repoId: string, bounds: Bounds): Promise<{ id: string }> {
  // The service itself finds the range of what is unreleased.
  if (bounds.type === 'UNRELEASED') return api().createRange(bounds);
  const fields = Object.entries({ timeZone: undefined, ...bounds }).filter(([name]) => name !== 'repoId');
  for await (const range of api().each('listRanges', { repoId }))
    if (fields.every(([name, value]) => (range as unknown as Record<string, unknown>)[name] === value)) return range;
  return api().createRange(bounds);
}
