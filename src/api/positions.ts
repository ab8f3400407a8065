/**
 * Read your own writes on several machines: replies name the positions of the partitions that they were read from, and
 * a request that names positions waits until this node has folded as far (`docs/architecture.md` decision 39). A
 * service on one machine does not use this file: there, a read always shows the writes before it.
 */
import { invalid, ServiceError } from '../foundation/errors.ts';
import {
  directoryName,
  type PartitionName,
  partitionNames,
  partitionOfRepository,
} from '../foundation/partition-names.ts';
import type { Exchange } from '../http/exchange.ts';
import type { FoldedSignals } from '../journal/signal.ts';
import {
  afterHeader,
  formatPositions,
  maxPositionsLength,
  type Positions,
  parsePositions,
  positionHeader,
  positionsForm,
} from '../protocol/positions.ts';
import type { Partition } from '../store/partition.ts';
import type { Readers, RequestReaders } from '../store/readers.ts';
import type { ReadyResponses } from '../store/ready-responses.ts';
import type { ReadyResponse } from '../store/tables/responses.ts';
import type { ApiContext } from './context.ts';
import type { PositionOf } from './event-stream.ts';

/** Maximum time that a request waits for positions, in milliseconds. */
const waitMs = 2000;
/** Interval between two reads of the store while waiting. A signal can be lost. */
const pollMs = 1000;
/**
 * Maximum number of requests that wait. They are not authenticated yet, because the key itself may be what they wait
 * for. So anyone can send them, and each costs a timer and some memory. Requests whose key is not known here get only
 * `maxUnknown` of the places, so that no stranger can take them all.
 */
const [maxWaiting, maxUnknown] = [256, 128];

/** The parts of a request that decide what it waits for. */
type Asking = Pick<Exchange, 'headers'>;

export class PositionGate {
  private readonly readers: RequestReaders;
  private readonly signals: Pick<FoldedSignals, 'wait'>;
  private readonly names: ReadonlySet<PartitionName>;
  private readonly isKnown: (headers: Asking['headers']) => boolean;
  private waiting = 0;

  /**
   * @param partitions number of repository partitions
   * @param isKnown whether a request has a key or session that this node knows
   */
  constructor(
    readers: RequestReaders,
    signals: Pick<FoldedSignals, 'wait'>,
    partitions: number,
    isKnown: (headers: Asking['headers']) => boolean,
  ) {
    this.readers = readers;
    this.signals = signals;
    this.isKnown = isKnown;
    this.names = new Set(partitionNames(partitions));
  }

  /**
   * Waits until this node has folded as far as the header `Tidings-After` asks. Requests in test mode read nothing but
   * the directory, for their key.
   * @returns undefined if the request may be served at once. Otherwise a promise that rejects with `unavailable` if this
   *   node is not as far in time.
   * @throws ServiceError `invalid` for a malformed header, `unavailable` when too many requests wait
   */
  wait({ headers }: Asking): Promise<void> | undefined {
    const text = headers['tidings-after'];
    if (text === undefined) return undefined;
    const asked = this.read(text);
    const isTest = headers['x-test-mode'] === 'true' || /^Bearer +rn_test_/i.test(headers.authorization ?? '');
    const wanted = isTest ? [...asked].filter(([name]) => name === directoryName) : [...asked];
    const missing = wanted.filter(([name, seq]) => !this.reached(name, seq));
    if (missing.length === 0) return undefined;
    const max = this.waiting < maxUnknown || this.isKnown(headers) ? maxWaiting : maxUnknown;
    if (this.waiting >= max) throw notReached(missing[0] as [PartitionName, number]);
    return this.waitFor(missing);
  }

  /** Returns the header of a reply that shows the current state of a partition, as a flat list of a name and a value. */
  headersOf(names: Iterable<PartitionName>, atLeast: Positions = new Map()): readonly string[] {
    const positions = new Map<PartitionName, number>();
    for (const name of names) {
      // The state that is open now is no older than the state that the reply was made from.
      const seq = Math.max(this.readers.seq(name), atLeast.get(name) ?? 0);
      if (seq > 0) positions.set(name, seq);
    }
    return positions.size === 0 ? [] : [positionHeader, formatPositions(positions)];
  }

  private read(text: string): Positions {
    const positions = parsePositions(text);
    const got = `got ${JSON.stringify(text.slice(0, 80))}`;
    if (!positions) {
      const expected = `expected at most ${maxPositionsLength} characters with ${positionsForm}`;
      throw invalid({ [afterHeader]: `${expected}, ${got}` }, 'A header is invalid.');
    }
    for (const name of positions.keys()) {
      if (this.names.has(name)) continue;
      const expected = `expected partitions of this service, which are ${directoryName} and p00 to ${[...this.names].at(-1)}`;
      throw invalid({ [afterHeader]: `${expected}; got ${name}` }, 'A header is invalid.');
    }
    return positions;
  }

  /** Whether the state that requests of this turn read is as far. If it is not, it is renewed. */
  private reached(name: PartitionName, seq: number): boolean {
    this.readers.current(name);
    if (this.readers.seq(name) >= seq) return true;
    this.readers.fresh(name);
    return this.readers.seq(name) >= seq;
  }

  private async waitFor(wanted: readonly [PartitionName, number][]): Promise<void> {
    const deadline = performance.now() + waitMs;
    this.waiting += 1;
    try {
      for (const [name, seq] of wanted) {
        while (!this.reached(name, seq)) {
          const left = deadline - performance.now();
          if (left <= 0) throw notReached([name, seq]);
          await this.signals.wait(name, seq, Math.min(pollMs, left));
        }
      }
    } finally {
      this.waiting -= 1;
    }
  }
}

/** Returns the function that names the positions of live events. */
export function positionsOfEvents(readers: Pick<Readers, 'ofAnyAge' | 'seq'>, partitions: number): PositionOf {
  const all = partitionNames(partitions);
  return ({ name, repoId }) => {
    const home = repoId === undefined ? [] : [partitionOfRepository(repoId, partitions)];
    const about = name === 'reset' ? all : [directoryName, ...home];
    return formatPositions(
      about.map((each) => {
        // A change is announced after its commit, so the current state contains it. A partition that is too old must not
        // keep clients from the events of others.
        readers.ofAnyAge(each);
        return [each, Math.max(0, readers.seq(each))] as const;
      }),
    );
  };
}

function notReached([name, seq]: readonly [PartitionName, number]): ServiceError {
  const waitingFor = formatPositions([[name, seq]]);
  const message = `This node does not have the state yet that ${afterHeader} asks for: it waits for ${waitingFor}. Send the request again.`;
  return new ServiceError('unavailable', message, { details: { waitingFor }, retryAfter: 1 });
}

/** Reads partitions for one request, and remembers which ones. */
export class Reading implements RequestReaders {
  private readonly readers: RequestReaders;
  private readonly names = new Set<PartitionName>([directoryName]);
  private readonly written = new Map<PartitionName, number>();

  constructor(readers: RequestReaders) {
    this.readers = readers;
  }

  fresh(name: PartitionName): Partition | undefined {
    this.names.add(name);
    return this.readers.fresh(name);
  }

  current(name: PartitionName): Partition | undefined {
    this.names.add(name);
    return this.readers.current(name);
  }

  seq(name: PartitionName): number {
    return this.readers.seq(name);
  }

  generation(name: PartitionName): number {
    return this.readers.generation(name);
  }

  /** Notes a record that the request has enqueued. The reply names its position even if it is not folded yet. */
  wrote(name: PartitionName, seq: number): void {
    this.names.add(name);
    this.written.set(name, Math.max(seq, this.written.get(name) ?? 0));
  }

  /** Returns the header with the positions of all partitions that were read. */
  headers(gate: PositionGate): readonly string[] {
    return gate.headersOf(this.names, this.written);
  }

  /**
   * Renews the states that were read. An answer that a worker has computed can be of a newer state than the one that is
   * open here.
   */
  renew(): void {
    for (const name of this.names) this.readers.fresh(name);
  }
}

/** Ready responses of one request, which remember the partition that they were read from. */
class ReadyOfRequest implements Pick<ReadyResponses, 'remembered' | 'read'> {
  private readonly responses: Pick<ReadyResponses, 'remembered' | 'read'>;
  private readonly reading: Reading;
  private readonly homeOf: (id: string) => PartitionName | undefined;

  constructor(context: ApiContext, reading: Reading, homeOf: (id: string) => PartitionName | undefined) {
    this.responses = context.responses;
    this.reading = reading;
    this.homeOf = homeOf;
  }

  remembered(id: string): ReadyResponse | undefined {
    const response = this.responses.remembered(id);
    const name = response && this.homeOf(id);
    if (name !== undefined) this.reading.current(name);
    return response;
  }

  read(partition: Partition, id: string): ReadyResponse | undefined {
    return this.responses.read(partition, id);
  }
}

/** Returns the context of one request, whose reads are remembered in `reading`. */
export function contextReading(
  context: ApiContext,
  reading: Reading,
  homeOf: (id: string) => PartitionName | undefined,
): ApiContext {
  return { ...context, readers: reading, reading, responses: new ReadyOfRequest(context, reading, homeOf) };
}
