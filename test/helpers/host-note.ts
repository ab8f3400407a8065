/** Makes a sample note and a delivery context, for tests of channels that publish to the code host. */
import type { DeliveryContext, HostAccess, Note } from '../../src/channels/channel.ts';

export const sampleBody = `## Breaking Changes

- **api:** Drop the old login (#3) <!-- rn:pr:3 -->

  > Use tokens instead.

## Features

- Start faster (#1) — [@ada](https://host.test/ada) <!-- rn:pr:1 -->
- Stop later (#2) (fixes [#9](https://host.test/acme/rocket/issues/9)) <!-- rn:pr:2 -->

**Full Changelog**: <https://host.test/acme/rocket/compare/v1.0.0...v2.0.0>
`;

export function sampleNote(changes: Partial<Note> = {}): Note {
  return {
    publicationId: 'pub_0000000000000000000000000000',
    repository: {
      id: 'repo_0000000000000000000000000000',
      fullName: 'acme/rocket',
      url: 'https://host.test/acme/rocket',
      private: false,
      defaultBranch: 'main',
    },
    version: 'v2.0.0',
    tag: 'v2.0.0',
    previousTag: 'v1.0.0',
    compareUrl: 'https://host.test/acme/rocket/compare/v1.0.0...v2.0.0',
    date: Date.UTC(2026, 1, 3, 12),
    persona: 'engineer',
    bodyMd: sampleBody,
    asDraft: false,
    pageUrl: null,
    ...changes,
  };
}

/**
 * Returns the context of a delivery to a channel that publishes to the code host. The delivery can reach only the code
 * host.
 */
export function hostContext<Settings extends Record<string, unknown>>(
  host: HostAccess | null,
  settings: Settings,
): DeliveryContext<Settings> {
  return {
    settings,
    egress: undefined as never,
    signal: new AbortController().signal,
    publicationId: 'pub_0000000000000000000000000000',
    reference: null,
    resumed: false,
    host,
    recipients: { due: [], unsubscribed: 0, alreadySent: 0 },
    unsubscribeUrl: () => null,
  };
}
