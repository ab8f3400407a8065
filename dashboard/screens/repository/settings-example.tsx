/** The live example beside the settings: a release or the unreleased changes, and what would change in their notes. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type NotesSettings, TidingsError } from '../../../sdk/index.ts';
import { Options } from '../../parts/choice.tsx';
import { Empty, Shown } from '../../parts/feedback.tsx';
import { MarkdownLine } from '../../parts/marked.tsx';
import { useLoad } from '../../state/load.ts';
import { api } from '../../state/session.ts';
import { type MarkedLine, markedLines } from '../../text/settings.ts';
import { count, type Persona, personaTexts } from '../../text/words.ts';

const debounceMs = 300;
/** Value of the choice for the unreleased changes. No tag has an empty name. */
const unreleased = '';

/**
 * @param settings what the form has
 * @param version changes whenever the service has other settings
 * @param onError is called with why the settings cannot be shown, and with undefined when they can
 */
export function Example({
  repoId,
  settings,
  version,
  onError,
}: {
  repoId: string;
  settings: NotesSettings;
  version: string;
  onError: (error: Error | undefined) => void;
}): JSX.Element {
  const [tried, setTried] = useState(settings);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [persona, setPersona] = useState<Persona>('engineer');
  useEffect(() => {
    const timer = setTimeout(() => setTried(settings), debounceMs);
    return () => clearTimeout(timer);
  }, [settings]);
  const releases = useLoad('example releases', (signal) => api().previewRepositorySettings({ repoId }, { signal }), [
    repoId,
  ]);
  const ranges = releases.data?.ranges;
  const toTag = chosen ?? (ranges && (ranges[0]?.toTag ?? unreleased));
  const loaded = useLoad(
    'example',
    async (signal) => {
      const end = toTag === unreleased ? { unreleased: 'true' as const } : { toTag: toTag as string };
      const input = { repoId, ...tried, ...end, include: 'text' } as const;
      return (await api().previewRepositorySettings(input, { signal })).ranges[0];
    },
    [repoId, toTag, version, JSON.stringify(tried)],
  );
  const details = loaded.error instanceof TidingsError ? loaded.error.details : {};
  useEffect(() => {
    onError(loaded.error);
    if (!Object.hasOwn(details, 'toTag')) return;
    // The tag was deleted meanwhile.
    setChosen(unreleased);
    releases.reload();
  }, [loaded.error]);
  // While the next example loads, the last one stays.
  const [last, setLast] = useState(loaded.data);
  if (loaded.data && loaded.data !== last) setLast(loaded.data);
  const shown = loaded.data ?? (last && (last.toTag ?? unreleased) === toTag ? last : undefined);
  if (ranges?.length === 0 && shown && shown.prCount + shown.issueCount === 0)
    return (
      <Empty title="No example yet">
        <p>It appears with the first change that is merged.</p>
      </Empty>
    );
  return (
    <>
      <div class="example-head">
        <label>
          <span class="hidden">Changes of the example</span>
          <select value={toTag} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {ranges?.map((range) => (
              <option key={range.toTag} value={range.toTag ?? unreleased}>
                {range.toTag}
              </option>
            ))}
            <option value={unreleased}>Unreleased</option>
          </select>
        </label>
        <fieldset class="choice">
          <legend class="hidden">Readers of the example</legend>
          <Options name="example-persona" texts={personaTexts} chosen={persona} onChoose={setPersona} />
        </fieldset>
      </div>
      {Object.keys(details).length > 0 ? (
        <p class="faint">The example goes on when the marked fields are right.</p>
      ) : (
        <Shown of={{ ...loaded, data: shown, error: loaded.error ?? releases.error }} lines={10}>
          {({ personas: drafts }) => {
            const draft = drafts.find((each) => each.persona === persona);
            if (!draft) return null;
            const { changed, added, removed, diff, text = '' } = draft;
            return (
              <>
                <p class="faint" aria-live="polite">
                  {changed
                    ? `Differs from the saved settings: ${count(added, 'line')} new, ${count(removed, 'line')} gone.`
                    : 'As with the saved settings.'}
                </p>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the text scrolls, also with the keyboard */}
                <section class="example-text" aria-label="Text of the example" tabIndex={0}>
                  {markedLines(text, diff).map((line, i) => (
                    <Line key={i} of={line} />
                  ))}
                </section>
              </>
            );
          }}
        </Shown>
      )}
    </>
  );
}

function Line({ of: { sign, text } }: { of: MarkedLine }): JSX.Element {
  const inside = <MarkdownLine text={text} />;
  if (sign === ' ') return <div>{inside}</div>;
  return (
    <div class={sign === '+' ? 'added' : 'removed'}>
      <span class="sign-mark" aria-hidden="true">
        {sign === '+' ? '+' : '−'}
      </span>
      {sign === '+' ? <ins>{inside}</ins> : <del>{inside}</del>}
    </div>
  );
}
