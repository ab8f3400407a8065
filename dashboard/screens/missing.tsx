/** The screen of an address that has none. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { Empty } from '../parts/feedback.tsx';
import { Screen } from '../parts/screen.tsx';

export function Missing(): JSX.Element {
  return (
    <Screen title="Not found">
      <Empty title="There is no screen at this address.">
        <p>
          <Link href="/">Go to the inbox</Link>
        </p>
      </Empty>
    </Screen>
  );
}
