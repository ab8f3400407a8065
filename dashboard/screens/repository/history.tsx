/** The history of a repository from before its first delivery: how much of it is here, and fetching it. */
import type { JSX } from 'preact';
import type { Repository } from '../../../sdk/index.ts';
import { BackfillPart } from '../../parts/backfill.tsx';

export function History({ repository }: { repository: Repository }): JSX.Element {
  return (
    <section class="card history-tab" aria-label="History">
      <p class="faint">
        Webhooks report what happens from now on. Older pull requests, issues, tags and commits are fetched from the
        host. Meanwhile, deliveries arrive as usual.
      </p>
      <BackfillPart repoId={repository.id} isConnected={repository.state === 'connected'} />
    </section>
  );
}
