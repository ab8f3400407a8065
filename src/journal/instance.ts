/**
 * Allows only one instance per journal. A second instance with another data directory would fold the same streams into
 * its own stores and carry out every effect a second time. So the second instance refuses to start
 * (`docs/architecture.md` decision 30).
 */

import type { Journal } from './connect.ts';
import { instanceSubject } from './subjects.ts';
import { JournalSetupError } from './topology.ts';

const askMs = 500;

/**
 * Claims the journal for as long as the connection is open.
 * @param dataDir the data directory of this instance; sent to any other instance that tries to claim the journal
 * @throws JournalSetupError if another instance has claimed the journal
 */
export async function claimInstance(journal: Journal, dataDir: string): Promise<void> {
  const { connection } = journal;
  const answer = await connection.request(instanceSubject, undefined, { timeout: askMs }).catch(() => undefined);
  if (answer) {
    throw new JournalSetupError(
      `Another Tidings instance uses this NATS server, with the data directory ${answer.string()}. Stop it first, or set TIDINGS_NATS_URL to another server.`,
    );
  }
  connection.subscribe(instanceSubject, { callback: (error, message) => void (error ?? message.respond(dataDir)) });
}
