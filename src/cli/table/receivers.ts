/** Declares the commands about receivers of notes and events: `channels` and `webhooks`. */
import { usualOverlapHours } from '../../protocol/limits.ts';
import { channelNames, personas } from '../../protocol/names.ts';
import type { CommandEntry } from '../usage.ts';
import { jsonOption } from './options.ts';

const ownerOptions = {
  org: { value: 'LOGIN|ID', required: 'owner', help: 'Organization of the connection' },
  repo: { value: 'OWNER/REPO|REPO_ID', required: 'owner', help: 'Repository of the connection' },
} as const;

const choices = { CHANNEL: channelNames } as const;

export const channelsEntry = {
  help: 'Lists, creates, tests and removes channel connections',
  examples: ['channels list --org acme', 'channels put hosted hosted.json --repo acme/rocket'],
  actions: {
    list: {
      help: 'Lists the channels with their connections',
      example: 'channels list --org acme',
      options: { ...ownerOptions, ...jsonOption('the reply of GET /api/channels') },
    },
    put: {
      arguments: 'CHANNEL FILE.json|-',
      choices,
      help: 'Connects a channel; reads its settings from a file or standard input',
      example: 'channels put hosted hosted.json --repo acme/rocket',
      options: ownerOptions,
    },
    test: {
      arguments: 'CHANNEL',
      choices,
      help: 'Tests a connection',
      example: 'channels test hosted --repo acme/rocket',
      options: ownerOptions,
    },
    remove: {
      arguments: 'CHANNEL',
      choices,
      help: 'Removes a connection',
      example: 'channels remove hosted --repo acme/rocket',
      options: ownerOptions,
    },
  },
} as const satisfies CommandEntry;

const quiet = { help: 'Prints only the secret' } as const;

/** Value of a filter option that removes the filter. */
export const allWord = 'all';

export const filterOptions = {
  personas: { value: 'A,B', help: `Sends drafts and publications only for ${personas.join(', ')}, or ${allWord}` },
  channels: { value: 'A,B', help: `Sends publications only on these channels, or ${allWord}` },
  repos: { value: 'A,B', help: `Sends only events of these repositories (OWNER/REPO or REPO_ID), or ${allWord}` },
} as const;
const description = { value: 'TEXT', help: 'Description of the endpoint' } as const;
const eventsHelp = 'Events to send; to list them, run: tidings webhooks events';

export const webhooksEntry = {
  help: 'Creates, lists, changes, tests and deletes endpoints of outgoing webhooks',
  examples: ['webhooks create --org acme --url https://hooks.example/tidings', 'webhooks list --org acme --json'],
  actions: {
    create: {
      help: 'Creates an endpoint and shows its secret once',
      example: 'webhooks create --org acme --url https://hooks.example/tidings',
      options: {
        org: { value: 'LOGIN|ID', required: true, help: 'Organization whose events are sent' },
        url: { value: 'URL', required: true, help: 'Address of the receiver' },
        events: { value: 'A,B', help: `${eventsHelp} (default: all)` },
        ...filterOptions,
        description,
        quiet,
      },
    },
    update: {
      arguments: 'ENDPOINT_ID',
      help: 'Changes the events, the filters or the description of an endpoint',
      example: 'webhooks update ep_0000000000000000000000000000 --personas customer --repos acme/rocket',
      options: { events: { value: 'A,B', help: eventsHelp }, ...filterOptions, description },
    },
    events: {
      help: 'Lists the events, with the filters that can stop each of them',
      example: 'webhooks events',
      options: jsonOption('the reply of GET /api/webhook-events'),
    },
    list: {
      help: 'Lists the endpoints, without their secrets',
      example: 'webhooks list --org acme --json',
      options: {
        org: { value: 'LOGIN|ID', help: 'Lists only the endpoints of one organization' },
        ...jsonOption('the reply of GET /api/webhook-endpoints'),
      },
    },
    deliveries: {
      arguments: 'ENDPOINT_ID',
      help: 'Lists the deliveries of an endpoint and their results',
      example: 'webhooks deliveries ep_0000000000000000000000000000',
      options: jsonOption('the reply of GET /api/webhook-endpoints/{endpointId}/deliveries'),
    },
    enable: {
      arguments: 'ENDPOINT_ID',
      help: 'Resumes sending to a disabled endpoint',
      example: 'webhooks enable ep_0000000000000000000000000000',
    },
    disable: {
      arguments: 'ENDPOINT_ID',
      help: 'Stops sending to an endpoint',
      example: 'webhooks disable ep_0000000000000000000000000000',
    },
    rotate: {
      arguments: 'ENDPOINT_ID',
      help: 'Generates a new secret; for some hours, deliveries are signed with both secrets',
      example: 'webhooks rotate ep_0000000000000000000000000000 --overlap 48',
      options: {
        overlap: {
          value: 'HOURS',
          help: `Hours that deliveries are signed with both secrets (default: ${usualOverlapHours})`,
        },
        quiet,
      },
    },
    test: {
      arguments: 'ENDPOINT_ID',
      help: 'Sends a test event',
      example: 'webhooks test ep_0000000000000000000000000000',
    },
    delete: {
      arguments: 'ENDPOINT_ID',
      help: 'Deletes an endpoint and its deliveries',
      example: 'webhooks delete ep_0000000000000000000000000000',
    },
  },
} as const satisfies CommandEntry;
