/**
 * Lists facts of the invented repository: names, ids and the dates of its releases. All dates are fixed, so that a demo
 * looks the same at any time.
 */

import type { Milestone } from './change.ts';

/** The facts that a demo needs before it has read any delivery. */
export const sampleRepository = {
  hostOrigin: 'https://git.example',
  id: 48210377,
  name: 'shoebox',
  fullName: 'lanternhouse/shoebox',
  owner: { login: 'lanternhouse', id: 9120455, type: 'Organization' },
  description: 'A photo library for your own server',
  htmlUrl: 'https://git.example/lanternhouse/shoebox',
  defaultBranch: 'main',
  releaseBranch: 'release-1.2',
  createdAt: '2026-01-05T08:00:00Z',
  tags: ['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.2.1', 'v1.3.0', 'v2.0.0'],
  /**
   * The range that shows the most features of drafts: breaking changes, both kinds of revert, newcomers, and several
   * updates of the same dependency one after another.
   */
  demoRange: { fromTag: 'v1.3.0', toTag: 'v2.0.0' },
  /**
   * Three pull requests of `demoRange`: a breaking change, a feature and a fix. Their entries differ the most between
   * the drafts for the three readers.
   */
  demoChanges: [265, 221, 226],
} as const;

export type Release = {
  milestone: Milestone;
  /** Start of the release in Unix seconds. No change of this release is merged earlier. */
  start: number;
  /** Time of the release's tag in Unix seconds. `next` has no tag. Its time is the end of the recording. */
  end: number;
  tag: { name: string; isAnnotated: boolean } | null;
};

function release(
  milestone: Milestone,
  start: string,
  end: string,
  kind: 'annotated' | 'lightweight' | 'none',
): Release {
  const tag = kind === 'none' ? null : { name: milestone, isAnnotated: kind === 'annotated' };
  return { milestone, start: toSeconds(start), end: toSeconds(end), tag };
}

export const releases: Release[] = [
  release('v1.0.0', '2026-01-06T09:00:00Z', '2026-02-02T15:00:00Z', 'annotated'),
  release('v1.1.0', '2026-02-03T09:00:00Z', '2026-03-03T14:30:00Z', 'lightweight'),
  release('v1.2.0', '2026-03-04T09:00:00Z', '2026-04-01T15:10:00Z', 'annotated'),
  release('v1.3.0', '2026-04-02T09:00:00Z', '2026-05-12T13:45:00Z', 'annotated'),
  release('v2.0.0', '2026-05-13T09:00:00Z', '2026-06-23T16:00:00Z', 'annotated'),
  release('next', '2026-06-24T09:00:00Z', '2026-07-03T17:00:00Z', 'none'),
];

/** The patch release. It is made on its own branch from three fixes that were first merged for v1.3.0. */
export const patchRelease = {
  branch: sampleRepository.releaseBranch,
  branchedFrom: 'v1.2.0',
  branchedAt: toSeconds('2026-04-22T09:00:00Z'),
  end: toSeconds('2026-04-24T12:20:00Z'),
  tag: { name: 'v1.2.1', isAnnotated: false },
  keys: ['large-upload', 'close-files', 'expired-archive'],
};

/** Converts an ISO time to Unix seconds. */
export function toSeconds(time: string): number {
  return Date.parse(time) / 1000;
}

/** Formats a time as the host does: UTC, whole seconds. */
export function toTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** Formats a time as commits do: local to the committer, with an offset. */
export function toOffsetTime(seconds: number, offsetMinutes: number): string {
  const local = toTime(seconds + offsetMinutes * 60).slice(0, -1);
  const size = Math.abs(offsetMinutes);
  const [hours, minutes] = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0'));
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${hours}:${minutes}`;
}
