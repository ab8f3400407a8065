/**
 * Request, reply and contract of the operation that describes the service: versions, durability, and the limits of an
 * organization. `api/` makes the body of the reply.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { Contracts } from './contract.ts';
import { closed, count, orNull, text, time } from './fields.ts';

/** The organization whose limits are shown. Without it, those of the key's organization or of instance keys are shown. */
export const AboutQuerySchema = Type.Object({ orgId: Type.Optional(Type.String({ minLength: 1 })) }, closed);
export type AboutQuery = Static<typeof AboutQuerySchema>;

const limit = (example: number, description: string) =>
  Type.Integer({ minimum: 0, examples: [example], description: `${description}; 0 = no limit` });

export const AboutSchema = Type.Object(
  {
    version: text('1.0.0', 'version of the service'),
    node: text('20.19.4', 'version of Node.js that the service runs on'),
    journalServer: orNull(text('2.10.27', 'version of nats-server; null while the service has no connection to it')),
    durability: orNull(
      Type.Union(
        [
          Type.Literal('process-crash'),
          Type.Literal('power-loss'),
          Type.Literal('replicated-unsynced'),
          Type.Literal('replicated'),
        ],
        {
          examples: ['power-loss'],
          description:
            'failures that an accepted request survives: a killed process, a power cut too, or the loss of a machine; `replicated-unsynced` may not survive a power cut of several machines',
        },
      ),
    ),
    partitions: count(8),
    hosts: count(1),
    startedAt: { ...time, description: 'start of the gateway process' },
    limits: Type.Object(
      {
        tier: text('standard'),
        apiPerMinute: limit(100, 'API requests of a key per minute'),
        apiPerHour: limit(1_000, 'API requests of a key per hour'),
        apiPerDay: limit(10_000, 'API requests of the organization per day'),
        webhooksPerMinute: limit(100, 'deliveries of the organization per minute that are processed without delay'),
        webhooksPerHour: limit(1_000, 'deliveries of the organization per hour that are processed without delay'),
        keys: limit(100, 'API keys of an organization'),
        ranges: limit(10_000, 'release ranges of an organization'),
        webhookEndpoints: limit(20, 'webhook endpoints of an organization'),
        backfills: limit(50, 'backfills of an organization that are in progress'),
      },
      closed,
    ),
  },
  closed,
);

export const aboutContracts = {
  getAbout: {
    tag: 'Operations',
    summary: 'Get the versions of the service, its durability, and the limits of an organization',
    replies: { 200: AboutSchema },
    refusals: [404],
  },
} satisfies Contracts;
