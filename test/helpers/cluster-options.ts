/**
 * Reads the options of the cluster tests, and finds the nats-server that they start. `scripts/run.mjs` passes the
 * options in `TIDINGS_TEST_CLUSTER`.
 */
import { fileURLToPath } from 'node:url';

const root = new URL('../../../', import.meta.url);
const { CLUSTER_ADVICE, findClusterServer } = await import(new URL('scripts/setup/cluster-nats.mjs', root).href);
const options = (process.env.TIDINGS_TEST_CLUSTER ?? '').split(' ');

/** A nats-server program for clusters. */
export interface ClusterServer {
  path: string;
  version: string;
}

/** The nats-server for clusters; undefined if this machine has none. */
export const clusterServer: ClusterServer | undefined = findClusterServer(fileURLToPath(root));

/** The reason why tests of clusters are skipped on this machine; false if they are not skipped. */
export const noCluster: string | false =
  clusterServer === undefined && `no nats-server 2.12 or later: ${CLUSTER_ADVICE}`;

/** Whether the long form of the tests was asked for. */
export const isLong = options.includes('--long');

/** Folder of a built checkout of the last release, which the rolling upgrade starts from; undefined if none was given. */
export const releaseFolder: string | undefined = options
  .find((option) => option.startsWith('--release='))
  ?.slice('--release='.length);

/** Whether leads should act without looking at their clocks, and without the verdict of the journal. */
export const noTimeCheck = options.includes('--no-time-check');
export const noFence = options.includes('--no-fence');

/**
 * A stream without a leader waits for an election, which takes 4 to 9 seconds. If the servers disagree, a second election
 * follows. That is rare, so only the long form, which a person watches, insists on the shorter time.
 */
export const electedMs = isLong ? 10_000 : 20_000;
/** Shorter than any election: an interruption of this length is not caused by the loss of a leader. */
export const uninterruptedMs = 3000;

/** Returns how often a fault is repeated: the number of `--rounds`, else `long` or `short`. */
export function rounds(short: number, long: number): number {
  const given = options.find((option) => option.startsWith('--rounds'));
  if (given === undefined) return isLong ? long : short;
  const number = /^--rounds=([1-9]\d*)$/.exec(given)?.[1];
  if (number === undefined) throw new Error(`--rounds: expected a number from 1 on, as in --rounds=3, got ${given}`);
  return Number(number);
}
