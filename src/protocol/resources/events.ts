/**
 * Request and contract of the stream of live events, and a sample of each event.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { type LiveEvent, LiveEventSchema } from '../live-events.ts';
import type { Contracts } from './contract.ts';
import { closed } from './fields.ts';

/** `lastEventId` is for clients that cannot send the header `Last-Event-ID`. */
export const StreamEventsQuerySchema = Type.Object(
  { lastEventId: Type.Optional(Type.String({ maxLength: 64 })) },
  closed,
);
export type StreamEventsQuery = Static<typeof StreamEventsQuerySchema>;

/** A sample of each event, made from the examples of its fields. */
export const liveEventSamples: readonly LiveEvent[] = LiveEventSchema.anyOf.map(
  ({ properties: { event, data } }) => ({ event: event.const, data: sampleOf(data) }) as LiveEvent,
);

export const eventContracts = {
  streamEvents: {
    tag: 'Events',
    summary: 'Stream what changes, as server-sent events',
    replies: { 200: LiveEventSchema },
    streams: liveEventSamples,
  },
} satisfies Contracts;

function sampleOf({ properties }: TSchema): object {
  // Only a service on several machines sends positions, and in test mode none at all.
  const fields = Object.entries(properties as Record<string, TSchema>).filter(([name]) => name !== 'position');
  return Object.fromEntries(fields.map(([name, schema]) => [name, schema.examples?.[0] ?? sampleOf(schema)]));
}
