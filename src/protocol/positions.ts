/**
 * Positions of partitions, as clients of several machines send and receive them: `directory:812, p00:4711`. A reply
 * names the state that it shows, and a later request asks another machine for no older state (`docs/architecture.md`
 * decision 39).
 */
import { Type } from '@sinclair/typebox';

/** The highest sequence of the journal per partition. */
export type Positions = ReadonlyMap<string, number>;

/** Header of a reply: the positions of the partitions that the reply was read from. */
export const positionHeader = 'Tidings-Position';
/** Header of a request: the positions that the reply may not be older than. */
export const afterHeader = 'Tidings-After';

/** The form of the header in words, for refusals and the OpenAPI document. */
export const positionsForm = 'positions as in Tidings-Position, such as directory:812, p00:4711';
/** The field of a live event with the positions that contain the change. */
export const positionOfEvent = Type.String({
  examples: ['directory:812, p00:4711'],
  description:
    'Positions that contain the change, for the header Tidings-After of the requests after the event. Only a service on several machines sends it.',
});

/** Maximum length of the header: the highest positions of 64 partitions and the directory. */
export const maxPositionsLength = 2048;

/** A partition and a sequence of at most 15 digits, which a number holds exactly. */
const one = /^([a-z][a-z0-9]{0,15}):(\d{1,15})$/;

/** Reads positions. Of several positions of a partition, the highest counts. Returns undefined for any other text. */
export function parsePositions(text: string): Positions | undefined {
  if (text.length > maxPositionsLength) return undefined;
  const positions = new Map<string, number>();
  for (const part of text.split(',')) {
    const [, name, digits] = one.exec(part.trim()) ?? [];
    if (name === undefined) return undefined;
    positions.set(name, Math.max(Number(digits), positions.get(name) ?? 0));
  }
  return positions;
}

/** Writes positions as the value of a header. */
export function formatPositions(positions: Iterable<readonly [string, number]>): string {
  return Array.from(positions, ([name, seq]) => `${name}:${seq}`).join(', ');
}
