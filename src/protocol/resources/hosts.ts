/** Requests, replies and contracts of the operations on hosts. `api/` makes the bodies of replies. */
import { type Static, Type } from '@sinclair/typebox';
import { hostStates } from '../host-checks.ts';
import type { Contracts } from './contract.ts';
import { closed, orNull, text, time } from './fields.ts';

const origin = text('https://github.com', 'web address of the host');
const kinds = [Type.Literal('github'), Type.Literal('gitea')];
const mayRead = 'whether it may read what the service needs';
const mayWrite = 'whether it may write contents; null if the host does not report it';

const CredentialSchema = Type.Object(
  {
    state: Type.Union(
      ['accepted', 'refused', 'lacking', 'unknown'].map((state) => Type.Literal(state)),
      {
        examples: ['accepted'],
        description:
          'what the host says about the credential; `lacking`: scopes or permissions for reading are missing; `unknown`: the host did not say, so check again later',
      },
    ),
    missing: Type.Array(text('read:issue', 'scope or permission that is missing for reading')),
    fault: orNull(text('503', 'status of the reply, or code of the error, if the state is `unknown`')),
    mayRead: Type.Boolean({ examples: [true], description: mayRead }),
    mayWrite: orNull(Type.Boolean({ examples: [true], description: mayWrite })),
  },
  closed,
);

export const HostCheckSchema = Type.Object(
  {
    origin,
    checkedAt: time,
    state: Type.Union(
      hostStates.map((state) => Type.Literal(state)),
      {
        examples: ['answers'],
        description:
          '`answers`: as the configured kind; `other_kind`: as another kind; `not_a_host`: not as the API of a known kind; `unreachable`: not at all',
      },
    ),
    kind: orNull(Type.Union(kinds, { description: 'kind that the host answers as; Forgejo answers as Gitea' })),
    version: orNull(text('1.26.0', 'version of the host; null if the host does not report it')),
    fault: orNull(text('ECONNREFUSED', 'code of the error, or status of the reply, if the state is not `answers`')),
    token: orNull(CredentialSchema),
    app: orNull(CredentialSchema),
    mayRead: Type.Boolean({ examples: [true], description: 'whether any credential may read what the service needs' }),
    mayWrite: orNull(
      Type.Boolean({
        examples: [true],
        description: 'whether any credential may write contents; null if the host does not report it',
      }),
    ),
  },
  closed,
);

const HostSchema = Type.Object(
  {
    origin,
    kind: Type.Union(kinds, { description: 'kind in the settings; Forgejo counts as Gitea' }),
    isDefault: Type.Boolean({ examples: [true], description: 'whether it is the host of TIDINGS_HOST_ORIGIN' }),
    credentials: Type.Array(Type.Union([Type.Literal('token'), Type.Literal('app')]), {
      description: 'kinds of credentials in the settings',
    }),
    webhookSecrets: Type.Integer({
      minimum: 0,
      examples: [1],
      description: 'number of webhook secrets that verify deliveries of the host, including those of organizations',
    }),
    lastCheck: orNull(HostCheckSchema),
  },
  closed,
);

export const CheckHostBodySchema = Type.Object({ origin: Type.String({ minLength: 1, maxLength: 512 }) }, closed);
export type CheckHostBody = Static<typeof CheckHostBodySchema>;

export const hostContracts = {
  listHosts: {
    tag: 'Operations',
    summary: 'List the source code hosts in the settings, with the newest check of each',
    replies: { 200: Type.Object({ hosts: Type.Array(HostSchema) }, closed) },
  },
  checkHost: {
    tag: 'Operations',
    summary: 'Check whether a host in the settings answers, and what the credentials may do; nothing is written',
    example: { origin: 'https://github.com' },
    body: CheckHostBodySchema,
    replies: { 200: HostCheckSchema },
  },
} satisfies Contracts;
