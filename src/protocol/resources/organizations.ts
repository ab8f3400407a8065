/**
 * Requests, replies and contracts of the operations on organizations, their tiers and policies. `store/` makes
 * the bodies of replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { Contracts } from './contract.ts';
import { closed, orgId, text, time } from './fields.ts';
import { listOf } from './paging.ts';

export const UpdateOrganizationBodySchema = Type.Object(
  {
    tier: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
    refuseInternalOnPublicChannels: Type.Optional(Type.Boolean()),
    keepPublishedAfterUninstall: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type UpdateOrganizationBody = Static<typeof UpdateOrganizationBodySchema>;

export const OrganizationSchema = Type.Object(
  {
    id: orgId,
    login: text('acme'),
    host: text('https://github.com'),
    tier: text('standard'),
    refuseInternalOnPublicChannels: Type.Boolean({ examples: [false] }),
    keepPublishedAfterUninstall: Type.Boolean({ examples: [true] }),
    createdAt: time,
  },
  closed,
);

export const organizationContracts = {
  listOrganisations: {
    tag: 'Organizations',
    summary: 'List organizations and their tiers',
    replies: { 200: listOf('organizations', OrganizationSchema) },
  },
  getOrganisation: {
    tag: 'Organizations',
    summary: 'Get an organization',
    replies: { 200: OrganizationSchema },
  },
  updateOrganisation: {
    tag: 'Organizations',
    summary: 'Set the limit tier or the policies of an organization',
    example: { tier: 'unlimited' },
    body: UpdateOrganizationBodySchema,
    replies: { 200: OrganizationSchema },
    conditional: true,
  },
} satisfies Contracts;
