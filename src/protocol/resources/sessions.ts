/**
 * Requests, replies and contracts of the operations on sessions. A session is a browser that is signed in with an API
 * key. The operations are not routes with a scope: a session may do what its key may do.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { Contracts } from './contract.ts';
import { closed, count, keyId, sessionId, text, time } from './fields.ts';
import { KeySchema } from './keys.ts';

/** Maximum length of the texts in the request. A key has 44 characters, and a code has 43. */
const maxLength = 200;

/** The body of the request that signs a browser in. `api/` checks that exactly one of the fields is set. */
export const CreateSessionBodySchema = Type.Object(
  {
    key: Type.Optional(Type.String({ minLength: 1, maxLength, description: 'an API key' })),
    code: Type.Optional(
      Type.String({ minLength: 1, maxLength, description: 'a code that `tidings dashboard` printed; it works once' }),
    ),
  },
  { ...closed, minProperties: 1, maxProperties: 1 },
);
export type CreateSessionBody = Static<typeof CreateSessionBodySchema>;

const { id, name, prefix, last4, orgId, scopes } = KeySchema.properties;

export const SessionSchema = Type.Object(
  {
    csrf: text(
      'pTxI9rD0XzXbQ1Wm0mYbY4wJ7ZB1y5sV3l7c2kq8aGE',
      'value that each request of the session sends in the header `X-Tidings-CSRF`',
    ),
    expiresAt: Type.String({ ...time, description: 'end of the session if it is not used until then' }),
    endsAt: Type.String({ ...time, description: 'end of the session even if it is used' }),
    key: Type.Object(
      {
        ...{ id, name, prefix, last4, orgId, scopes },
        testMode: Type.Boolean({ examples: [false], description: 'all requests of the session are in test mode' }),
      },
      closed,
    ),
  },
  closed,
);
export type Session = Static<typeof SessionSchema>;

const EndedSessionSchema = Type.Object({ id: sessionId, endedAt: time }, closed);
const EndedSessionsSchema = Type.Object({ keyId, endedSessions: count(2), endedAt: time }, closed);

export const sessionContracts = {
  createSession: {
    tag: 'Sessions',
    summary: 'Sign a browser in, with an API key or with a code',
    example: { key: 'rn_live_…' },
    body: CreateSessionBodySchema,
    replies: { 200: SessionSchema },
    setsCookie: true,
  },
  getSession: { tag: 'Sessions', summary: 'Get the session of the request', replies: { 200: SessionSchema } },
  endSession: {
    tag: 'Sessions',
    summary: 'Sign out',
    replies: { 200: EndedSessionSchema },
    setsCookie: true,
  },
  endSessions: {
    tag: 'Sessions',
    summary: 'Sign out everywhere: end all sessions of the API key',
    replies: { 200: EndedSessionsSchema },
    setsCookie: true,
  },
} as const satisfies Contracts;
