/** One numbered step with a mark that shows whether it is done. */
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from '../../parts/icons.tsx';

export type StepState = 'open' | 'half' | 'good' | 'bad';

const marks: Readonly<Record<StepState, string>> = {
  open: 'not done yet',
  half: 'half done',
  good: 'done',
  bad: 'needs attention',
};

/** @param heading level of the heading, below the heading of the screen or of the part */
export function Step({
  number,
  title,
  state,
  heading: Heading,
  children,
}: {
  number: number;
  title: string;
  state: StepState;
  heading: 'h2' | 'h3';
  children: ComponentChildren;
}): JSX.Element {
  const id = useId();
  return (
    <li class={`step ${state}`} aria-labelledby={id}>
      <span class="step-mark">
        {state === 'good' ? <Icon name="check" /> : state === 'bad' ? <Icon name="warning" /> : number}
      </span>
      <div class="step-body">
        <Heading id={id}>
          {title} <span class="hidden">({marks[state]})</span>
        </Heading>
        {children}
      </div>
    </li>
  );
}
