/** Shows a text that was saved elsewhere beside the person's own text. The person decides what stays. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Options } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Words } from '../../parts/difference.tsx';
import type { Clash } from '../../state/draft-text.ts';
import { diffWords } from '../../text/diff.ts';
import { type Choice, merge, mergedText } from '../../text/merge.ts';
import { count } from '../../text/words.ts';

const choices: Readonly<Record<Choice, string>> = { mine: 'Keep mine', theirs: 'Keep theirs', both: 'Keep both' };

export function ClashDialog({
  clash,
  mine,
  onResolve,
}: {
  clash: Clash;
  mine: string;
  onResolve: (text: string) => void;
}): JSX.Element {
  const parts = useMemo(() => merge(clash.base, mine, clash.theirs), [clash, mine]);
  const [chosen, setChosen] = useState<ReadonlyMap<number, Choice>>(new Map());
  const open = parts.flatMap((part, i) => (part.kind === 'conflict' ? [{ part, i }] : []));
  const undecided = open.filter(({ i }) => !chosen.has(i)).length;
  return (
    <Dialog title="This draft was changed elsewhere" size="wide">
      <p>
        Someone saved another text while you were typing. Nothing of yours is lost.{' '}
        {open.length === 0
          ? 'Your changes and the other ones are in different places. Both are kept.'
          : `${count(open.length, 'place')} changed on both sides. Everything else is kept from both.`}
      </p>
      {open.map(({ part, i }, place) => (
        <fieldset key={i} class="clash">
          <legend class={open.length === 1 ? 'hidden' : 'faint'}>
            Place {place + 1} of {open.length}
          </legend>
          <Side title="Yours" lines={part.mine} base={part.base} isChosen={keeps(chosen.get(i), 'mine')} />
          <Side title="Before" lines={part.base} isChosen={false} />
          <Side title="Theirs" lines={part.theirs} base={part.base} isChosen={keeps(chosen.get(i), 'theirs')} />
          <div class="choice">
            <Options
              name={`clash-${i}`}
              texts={choices}
              chosen={chosen.get(i)}
              onChoose={(choice) => setChosen(new Map(chosen).set(i, choice))}
            />
          </div>
        </fieldset>
      ))}
      <details class="merged">
        <summary>The whole text as it would be saved</summary>
        <pre class="payload">{mergedText(parts, chosen)}</pre>
      </details>
      <footer class="dialog-actions">
        {undecided > 0 && open.length > 1 && <span class="faint">{count(undecided, 'place')} left to decide</span>}
        <button type="button" onClick={() => onResolve(clash.theirs)}>
          Discard my changes
        </button>
        <button
          type="button"
          class="primary"
          disabled={undecided > 0}
          onClick={() => onResolve(mergedText(parts, chosen))}
        >
          Save the merged text
        </button>
      </footer>
    </Dialog>
  );
}

function keeps(choice: Choice | undefined, side: 'mine' | 'theirs'): boolean {
  return choice === side || choice === 'both';
}

/** @param base the lines before both changes; the words that this side added are marked */
function Side({
  title,
  lines,
  base,
  isChosen,
}: {
  title: string;
  lines: readonly string[];
  base?: readonly string[];
  isChosen: boolean;
}): JSX.Element {
  const text = lines.join('\n');
  const words = base && base.length > 0 ? diffWords(base.join('\n'), text)?.[1] : undefined;
  return (
    <div class={isChosen ? 'clash-side chosen' : 'clash-side'}>
      <h3>
        {title}
        {isChosen && <span class="tag">stays</span>}
      </h3>
      {lines.length === 0 ? (
        <p class="faint">{base === undefined ? 'nothing' : 'removed'}</p>
      ) : (
        <pre>{words ? <Words of={words} kind="added" /> : text}</pre>
      )}
    </div>
  );
}
