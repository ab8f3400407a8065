/** Is shown instead of a list while the service knows no repository. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { Empty } from './feedback.tsx';

export function NoRepository(): JSX.Element {
  return (
    <Empty title="There is no repository yet.">
      <p>
        <Link href="/app/connect">Connect a repository</Link>. It appears here with its first delivery.
      </p>
    </Empty>
  );
}
