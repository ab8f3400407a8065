/** Declares the commands of operators: the service, its data, and its journal. */
import { deliveryOutcomes } from '../../protocol/recent-deliveries.ts';
import type { CommandEntry, SingleEntry } from '../usage.ts';
import { jsonOption } from './options.ts';

export const startEntry = {
  help: 'Runs the service: nats-server, partition workers, gateway. To list its settings, run: tidings settings',
  examples: ['start'],
} as const satisfies SingleEntry;

export const sendEntry = {
  arguments: 'FILE.jsonl|FILE.jsonl.gz',
  help: 'Signs and posts deliveries from a file with one JSON object {event, delivery, body} per line',
  options: {
    url: { value: 'URL', help: 'Address of the service (default: from the settings)' },
    secret: { value: 'SECRET', help: 'Webhook secret to sign with (default: from the settings)' },
    concurrency: { value: 'N', help: 'Deliveries sent concurrently (default: 16)' },
  },
  examples: ['send history.jsonl.gz'],
} as const satisfies SingleEntry;

export const deliveriesEntry = {
  help: 'Lists the newest webhook deliveries of hosts, the newest first, with what became of each',
  options: {
    outcome: {
      value: 'OUTCOME',
      choices: deliveryOutcomes,
      help: `Lists only those that were ${deliveryOutcomes.join(', ')}`,
    },
    event: { value: 'EVENT', help: 'Lists only deliveries of this event' },
    repo: { value: 'OWNER/REPO|REPO_ID', help: 'Lists only deliveries about this repository' },
    limit: { value: 'N', help: 'Lists at most N deliveries (default: 20)' },
    ...jsonOption('the reply of GET /api/deliveries'),
  },
  examples: ['deliveries', 'deliveries --outcome refused'],
} as const satisfies SingleEntry;

export const doctorEntry = {
  help: 'Checks settings, hosts, public URL, server, disk and durability level',
  options: {
    offline: { help: 'Sends no requests to other machines' },
    ...jsonOption('{"findings": [{"verdict": "ok", "note" or "fault", "text"}], "total"}'),
  },
  examples: ['doctor', 'doctor --offline'],
} as const satisfies SingleEntry;

export const backfillEntry = {
  arguments: 'OWNER/REPO|REPO_ID',
  help: 'Reads the older history of a repository from its host, and shows the progress',
  options: {
    since: { value: 'YYYY-MM-DD', help: 'Skips history before this day' },
    host: { value: 'ORIGIN', help: 'Address of the host, if several hosts have the repository' },
    'no-wait': { help: 'Starts the backfill without waiting for it to end' },
    cancel: { help: 'Cancels the backfill and keeps the data read so far' },
  },
  examples: ['backfill acme/rocket --since 2025-01-01', 'backfill acme/rocket --cancel'],
} as const satisfies SingleEntry;

export const deadLettersEntry = {
  help: 'Lists dead letters (records that could not be processed), and retries them',
  examples: ['dead-letters list', 'dead-letters replay p00 1204/0'],
  actions: {
    list: {
      help: 'Lists the dead letters with their errors',
      example: 'dead-letters list',
      options: jsonOption('{"deadLetters": […], "total"} in the forms of the API'),
    },
    replay: {
      arguments: '[PARTITION SEQ/INDEX]',
      help: 'Retries all dead letters, or only the given one',
      example: 'dead-letters replay p00 1204/0',
    },
  },
} as const satisfies CommandEntry;

export const dumpEntry = {
  arguments: 'OWNER/REPO|REPO_ID',
  help: 'Prints all captured data of a repository in a fixed order, one JSON record per line',
  examples: ['dump acme/rocket > rocket.jsonl'],
} as const satisfies SingleEntry;

export const snapshotEntry = {
  help: 'Takes and verifies a snapshot of every partition',
  examples: ['snapshot'],
} as const satisfies SingleEntry;

export const restoreEntry = {
  arguments: 'PARTITION|all',
  help: 'Restores a partition from its newest snapshot; stop the service first; its next start reads the rest from the journal',
  examples: ['restore p00', 'restore all'],
} as const satisfies SingleEntry;

export const retentionEntry = {
  help: 'Shows, starts and approves the erasing of data after its retention period',
  examples: ['retention show', 'retention approve p00'],
  actions: {
    show: {
      help: 'Shows what the next sweep erases, and which erasures wait for approval',
      example: 'retention show',
      options: jsonOption('the reply of GET /api/retention'),
    },
    sweep: {
      help: 'Starts a sweep now: erases records after their retention period',
      example: 'retention sweep',
    },
    approve: {
      arguments: '[PARTITION]',
      help: 'Approves the waiting erasures in all partitions, or in one partition',
      example: 'retention approve p00',
    },
  },
} as const satisfies CommandEntry;

export const settingsEntry = {
  help: 'Prints every setting, its default and its meaning as a Markdown table',
  options: jsonOption('{"settings": [{"name", "default", "description"}], "total"}'),
  examples: ['settings', 'settings --json'],
} as const satisfies SingleEntry;

export const openApiEntry = {
  help: 'Prints the OpenAPI document of the API',
  examples: ['openapi > openapi.json'],
} as const satisfies SingleEntry;
