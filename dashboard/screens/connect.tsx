/** The screen that shows how a repository comes to this service. */
import type { JSX } from 'preact';
import { late } from '../parts/late.tsx';
import { Screen } from '../parts/screen.tsx';

/** The steps, whose code is loaded when they open. */
export const FirstRun = late(async () => (await import('./later.ts')).FirstRun);

export function Connect(): JSX.Element {
  return (
    <Screen title="Connect a repository">
      <FirstRun heading="h2" />
    </Screen>
  );
}
