/** The three-way view: a text was saved elsewhere, and the person decides what stays. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Options } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { type Choice, merge, mergedText } from '../../text/merge.ts';
import { count } from '../../text/words.ts';
import type { Clash } from './draft-text.ts';

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
    <Dialog title="This draft was changed elsewhere" size="wide" onClose={() => {}}>
      <p>
        {open.length === 0
          ? 'Your changes and the other ones are in different places. Both are kept.'
          : `${count(open.length, 'place')} changed on both sides. Everything else is kept from both.`}
      </p>
      {open.map(({ part, i }) => (
        <fieldset key={i} class="clash">
          <legend class="hidden">Place {i + 1}</legend>
          <Side title="Yours" lines={part.mine} isChosen={chosen.get(i) !== 'theirs'} />
          <Side title="Before" lines={part.base} isChosen={false} />
          <Side title="Theirs" lines={part.theirs} isChosen={chosen.get(i) !== 'mine'} />
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
      <footer class="dialog-actions">
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

function Side({ title, lines, isChosen }: { title: string; lines: readonly string[]; isChosen: boolean }): JSX.Element {
  return (
    <div class={isChosen ? 'side chosen' : 'side'}>
      <h3>{title}</h3>
      {lines.length === 0 ? <p class="faint">nothing</p> : <pre>{lines.join('\n')}</pre>}
    </div>
  );
}
