/**
 * Reads the example payloads that the host's maintainers publish. They cover all events and look like real payloads.
 */
import { createRequire } from 'node:module';

/** One published payload. */
export interface Example {
  event: string;
  /** The action of the event; empty for events that have no action. */
  action: string;
  payload: Record<string, unknown>;
  /** Event, action and number of the payload, for messages. */
  title: string;
}

/** Returns all published payloads in the order in which the package lists them. */
export function readExamples(): Example[] {
  const definitions = createRequire(import.meta.url)('@octokit/webhooks-examples') as {
    name: string;
    examples: Record<string, unknown>[];
  }[];
  return definitions.flatMap(({ name, examples }) =>
    examples.map((payload, number) => {
      const action = String(payload.action ?? '');
      return { event: name, action, payload, title: `${name} ${action} ${number}` };
    }),
  );
}
