/**
 * The example payloads that the host's maintainers publish: all events, as real payloads look.
 */
import { createRequire } from 'node:module';

/** One published payload. */
export interface Example {
  event: string;
  /** Its action, empty for events that have none. */
  action: string;
  payload: Record<string, unknown>;
  /** Event, action and number, for messages. */
  title: string;
}

/** All published payloads, in their order. */
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
