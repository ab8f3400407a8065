/** Makes values for tests of channels: notes, and contexts of deliveries to a channel. */
import type { TestContext } from 'node:test';
import type { ChannelSettings, DeliveryContext, DeliveryError, Note } from '../../src/channels/channel.ts';
import { Egress } from '../../src/egress/egress.ts';
import { afterwards } from './cleanup.ts';

/** Returns a note of a public repository. A test passes only the fields that matter to the test. */
export function aNote(fields: Partial<Note> = {}): Note {
  return {
    publicationId: 'pub_00TEST',
    repository: {
      id: 'repo_1',
      fullName: 'lanternhouse/shoebox',
      url: 'https://git.example/lanternhouse/shoebox',
      private: false,
      defaultBranch: 'main',
    },
    version: 'v2.0.0',
    tag: 'v2.0.0',
    previousTag: 'v1.0.0',
    compareUrl: 'https://git.example/lanternhouse/shoebox/compare/v1.0.0...v2.0.0',
    date: Date.UTC(2026, 0, 2),
    persona: 'engineer',
    bodyMd: '## Features\n\n- Show a map <!-- rn:pr:1 -->\n',
    asDraft: false,
    pageUrl: null,
    ...fields,
  };
}

/** Returns the given number of list entries, each with a marker of its pull request, such as `<!-- rn:pr:1 -->`. */
export function entries(count: number, text = 'A change with a line of the usual length'): string {
  return Array.from({ length: count }, (_, index) => `- ${text} ${index + 1} <!-- rn:pr:${index + 1} -->`).join('\n');
}

/** Returns the context of a delivery to a channel. The context allows targets on loopback. */
export function aContext<Settings extends ChannelSettings>(
  t: TestContext,
  settings: Settings,
  fields: Partial<DeliveryContext<Settings>> = {},
): DeliveryContext<Settings> {
  const egress = new Egress({ allow: ['127.0.0.0/8', '::1'], allowHttp: true });
  afterwards(t, () => egress.close());
  return {
    settings,
    egress,
    signal: new AbortController().signal,
    publicationId: 'pub_00TEST',
    reference: null,
    resumed: false,
    host: null,
    recipients: { due: (settings.recipients ?? []) as string[], unsubscribed: 0, alreadySent: 0 },
    unsubscribeUrl: () => 'https://notes.example/unsubscribe/token',
    ...fields,
  };
}

/** Waits for a delivery that must fail. Returns the fields of its error as a plain object. */
export async function failureOf(
  delivery: Promise<unknown>,
): Promise<Pick<DeliveryError, 'outcome' | 'message' | 'retryAfterMs'>> {
  const error = await delivery.then(
    () => undefined,
    (thrown: unknown) => thrown as DeliveryError,
  );
  if (error?.name !== 'DeliveryError') throw error ?? new Error('the delivery succeeded');
  const { outcome, message, retryAfterMs } = error;
  return { outcome, message, retryAfterMs };
}
