/**
 * One instance a journal: a second one with another data directory would fold the same streams into stores of its own and
 * carry every effect out again, so it refuses to start (`docs/architecture.md` decision 30).
 */

import type { Journal } from './connect.ts';
import { instanceSubject } from './subjects.ts';
import { JournalSetupError } from './topology.ts';

const askMs = 500;

/**
 * Claims the journal for as long as the connection lives.
 * @param dataDir told to whoever asks later
 * @throws JournalSetupError when another instance has claimed it
 */
export async function claimInstance(journal: Journal, dataDir: string): Promise<void> {
  const { connection } = journal;
  const answer = await connection.request(instanceSubject, undefined, { timeout: askMs }).catch(() => undefined);
  if (answer) {
    throw new JournalSetupError(
      `Another Tidings works on this NATS server, with the data directory ${answer.string()}. Stop it first, or name another server in TIDINGS_NATS_URL.`,
    );
  }
  connection.subscribe(instanceSubject, { callback: (error, message) => void (error ?? message.respond(dataDir)) });
}
