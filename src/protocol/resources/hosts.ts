/** Requests, replies and contracts of the operations on hosts and their apps. `api/` makes the bodies of replies. */
import { type Static, Type } from '@sinclair/typebox';
import { unusedReasons } from '../host-apps.ts';
import { hostStates } from '../host-checks.ts';
import type { Contracts } from './contract.ts';
import { closed, orNull, secretId, text, time } from './fields.ts';

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

const appId = text('123456', 'number of the app on its host');
const appName = text('Tidings notes.example.com', 'name of the app');
const appUrl = text('https://github.com/apps/tidings-notes-example-com', 'page of the app on its host');
const installUrl = text(
  'https://github.com/apps/tidings-notes-example-com/installations/new',
  'page on which people install the app for their repositories',
);

const UsedAppSchema = Type.Object(
  {
    source: Type.Union([Type.Literal('settings'), Type.Literal('stored')], {
      description: '`settings`: the app of the settings; `stored`: the app that `createHostApp` stored',
    }),
    id: appId,
    name: orNull(appName),
    url: orNull(appUrl),
    installUrl: orNull(installUrl),
  },
  {
    ...closed,
    description:
      'app that the service uses; name and addresses of an app of the settings are null, unless it is stored too',
  },
);

const UnusedAppSchema = Type.Object(
  {
    origin,
    id: appId,
    name: appName,
    url: appUrl,
    reason: Type.Union(
      unusedReasons.map((reason) => Type.Literal(reason)),
      {
        examples: ['other_app'],
        description:
          '`other_app`: the settings have another app for the host; `other_kind`: the settings say that it is not of the kind github; `unknown_host`: the settings do not have the host',
      },
    ),
  },
  closed,
);

export const HostAppSchema = Type.Object(
  {
    origin,
    id: appId,
    slug: text('tidings-notes-example-com', 'name of the app in addresses'),
    name: appName,
    url: appUrl,
    installUrl,
    secretId: { ...secretId, description: 'webhook secret of the app, which is listed with the webhook secrets' },
    createdAt: time,
  },
  closed,
);

/** Reads and writes that the service uses. An app gets these permissions and no others. */
const permissionsOfApp = {
  checks: 'write',
  contents: 'write',
  issues: 'read',
  metadata: 'read',
  pull_requests: 'write',
} as const;

/** Events that the service captures, by their names on GitHub. */
const eventsOfApp = [
  'create',
  'delete',
  'issue_comment',
  'issues',
  'label',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'repository',
] as const;

/** The permissions and events of an app, as a manifest names them. */
export const appRights = { default_permissions: permissionsOfApp, default_events: eventsOfApp } as const;

const AppManifestSchema = Type.Object(
  {
    name: appName,
    url: text('https://notes.example.com', 'public address of this service'),
    hook_attributes: Type.Object(
      {
        url: text('https://notes.example.com/api/webhooks/scm', 'address for webhooks'),
        active: Type.Boolean({ examples: [true] }),
      },
      closed,
    ),
    redirect_url: text('https://notes.example.com/app/github-app', 'address to which the host returns with a code'),
    public: Type.Boolean({ examples: [false], description: 'false: only the owner of the app can install it' }),
    default_permissions: Type.Record(Type.String(), Type.String(), { examples: [permissionsOfApp] }),
    default_events: Type.Array(Type.String(), { examples: [eventsOfApp] }),
  },
  { ...closed, description: 'send it to `url` as JSON, in the field `manifest` of a form' },
);
export type AppManifest = Static<typeof AppManifestSchema>;

const HostSchema = Type.Object(
  {
    origin,
    kind: Type.Union(kinds, { description: 'kind in the settings; Forgejo counts as Gitea' }),
    isDefault: Type.Boolean({ examples: [true], description: 'whether it is the host of TIDINGS_HOST_ORIGIN' }),
    credentials: Type.Array(Type.Union([Type.Literal('token'), Type.Literal('app')]), {
      description: 'kinds of credentials that the service has: those of the settings, and stored apps',
    }),
    app: orNull(UsedAppSchema),
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

export const CreateAppManifestBodySchema = Type.Object(
  {
    origin: Type.String({ minLength: 1, maxLength: 512 }),
    organization: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$',
        description: 'login of the organization that owns the app; default: the account of the person',
      }),
    ),
    name: Type.Optional(
      Type.String({
        pattern: '^[^\\u0000-\\u001f\\u007f]{1,34}$',
        description: 'name of the app, at most 34 characters; the host accepts each name once',
      }),
    ),
  },
  closed,
);
export type CreateAppManifestBody = Static<typeof CreateAppManifestBodySchema>;

export const CreateHostAppBodySchema = Type.Object(
  {
    code: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,200}$',
      description: 'code in the address to which the host returns',
    }),
    state: Type.String({ minLength: 1, maxLength: 4000, description: 'state in the same address' }),
  },
  closed,
);
export type CreateHostAppBody = Static<typeof CreateHostAppBodySchema>;

export const RemoveHostAppQuerySchema = Type.Object({ origin: Type.String({ minLength: 1, maxLength: 512 }) }, closed);
export type RemoveHostAppQuery = Static<typeof RemoveHostAppQuerySchema>;

export const hostContracts = {
  createAppManifest: {
    tag: 'Operations',
    summary: 'Make the manifest of an app for a host of the kind github, and the address that a browser posts it to',
    example: { origin: 'https://github.com', organization: 'acme' },
    body: CreateAppManifestBodySchema,
    replies: {
      200: Type.Object(
        {
          url: text('https://github.com/organizations/acme/settings/apps/new?state=v1.…', 'address of the form'),
          manifest: AppManifestSchema,
          state: text(
            'v1.…',
            'text that the host returns with the code; it is valid for one hour and for this API key',
          ),
        },
        closed,
      ),
    },
    refusals: [409],
  },
  createHostApp: {
    tag: 'Operations',
    summary: 'Exchange the code of a host for the app that was created there, and store the app; the code is used once',
    example: { code: 'a180b1a3d263c81bc6441d7b990bae27d4c10679', state: 'v1.…' },
    body: CreateHostAppBodySchema,
    replies: { 201: HostAppSchema },
    refusals: [409],
  },
  removeHostApp: {
    tag: 'Operations',
    summary: 'Remove the stored app of a host and its webhook secret; the app itself stays on the host',
    replies: {
      200: Type.Object({ origin, id: appId, name: appName, url: appUrl, secretId, removedAt: time }, closed),
    },
    refusals: [404],
  },
  listHosts: {
    tag: 'Operations',
    summary: 'List the source code hosts in the settings, with the newest check of each',
    replies: {
      200: Type.Object(
        {
          hosts: Type.Array(HostSchema),
          unusedApps: Type.Array(UnusedAppSchema, {
            description:
              'stored apps that the service does not use; deliveries signed with their webhook secrets are refused',
          }),
        },
        closed,
      ),
    },
  },
  checkHost: {
    tag: 'Operations',
    summary: 'Check whether a host in the settings answers, and what the credentials may do; nothing is written',
    example: { origin: 'https://github.com' },
    body: CheckHostBodySchema,
    replies: { 200: HostCheckSchema },
  },
} satisfies Contracts;
