/** Declares the commands about several machines. */
import type { CommandEntry } from '../usage.ts';
import { jsonOption } from './options.ts';

export const clusterEntry = {
  help: 'Sets up several machines as one service, and shows their state',
  examples: ['cluster init', 'cluster join --token join.token', 'cluster status'],
  actions: {
    init: {
      help: 'Makes this machine a node, and makes a token for the next machine',
      example: 'cluster init',
    },
    join: {
      arguments: '[ADDRESSES]',
      help: 'Fetches the keys of a cluster. ADDRESSES: the NATS servers (default: TIDINGS_NATS_URL)',
      example: 'cluster join --token join.token',
      options: { token: { value: 'FILE', help: 'File with the token', required: true } },
    },
    status: {
      help: 'Shows the nodes, who leads each partition, and how far each node has folded it',
      example: 'cluster status',
      options: jsonOption('{"nodes": […], "partitions": […], "faults": […]}'),
    },
    'hand-over': {
      arguments: '[NODE]',
      help: 'Lets a node hand over what it leads. NODE: its name (default: this machine)',
      example: 'cluster hand-over b',
    },
    upgrade: {
      help: 'Lets all nodes fold by the newest rules, once all have the same version of Tidings',
      example: 'cluster upgrade',
    },
  },
} as const satisfies CommandEntry;
