/**
 * Declares all metrics of the service. Each name begins with `tidings_`. Units are base units, such as seconds. Each
 * label has a fixed set of values. Each process has its own registry, and the supervisor adds up the metrics of all
 * processes for /metrics.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { TalliedCounter, TalliedHistogram } from './tallies.ts';

export const registry = new Registry();

const registers = [registry];
const pubAckBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2];
const fastBuckets = [0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1];

export const buildInfo = new Gauge({
  name: 'tidings_build_info',
  help: 'Always 1; the labels give the versions of Tidings and Node.js',
  labelNames: ['version', 'node'] as const,
  registers,
});
/**
 * `outcome` is one of: queued, ignored, duplicate, test, malformed, unsigned, foreign, too_large, limited, not_allowed,
 * unavailable, failed, aborted.
 */
export const webhooksReceived = new TalliedCounter({
  name: 'tidings_webhooks_received_total',
  help: 'Webhook deliveries by event and outcome',
  labelNames: ['event', 'outcome'] as const,
  registers,
});
/** `reason` is one of the reasons in `src/protocol/refused-deliveries.ts`. */
export const webhooksRefused = new Counter({
  name: 'tidings_webhooks_refused_total',
  help: 'Webhook deliveries that were refused, by reason',
  labelNames: ['reason'] as const,
  registers,
});
export const webhooksDelayed = new Counter({
  name: 'tidings_webhooks_delayed_total',
  help: 'Webhook deliveries that were accepted but delayed, because their organization is over its limit',
  registers,
});
export const webhookSeconds = new TalliedHistogram({
  name: 'tidings_webhook_reply_seconds',
  help: 'Time from the arrival of the request line until the reply, for accepted deliveries',
  buckets: pubAckBuckets,
  registers,
});
export const hmacSeconds = new TalliedHistogram({
  name: 'tidings_webhook_hmac_seconds',
  help: 'Time to check a signature',
  buckets: fastBuckets,
  registers,
});
export const sealsUnreadable = new Counter({
  name: 'tidings_seals_unreadable_total',
  help: 'Stored secrets that the sealing key in use cannot decrypt; each is counted once',
  registers,
});
/** Number of bytes that request bodies reserve. The gauge is set only when metrics are read. */
export const bodyMemory = { held: 0 };
new Gauge({
  name: 'tidings_body_bytes_held',
  help: 'Memory used by request bodies that are being received',
  registers,
  collect() {
    this.set(bodyMemory.held);
  },
});
export const apiRequests = new TalliedCounter({
  name: 'tidings_api_requests_total',
  help: 'API requests by route and status',
  labelNames: ['route', 'status'] as const,
  registers,
});
export const apiSeconds = new TalliedHistogram({
  name: 'tidings_api_reply_seconds',
  help: 'Time from the arrival of the request line until the reply, for API requests by route',
  labelNames: ['route'] as const,
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10],
  registers,
});
/** `by` is one of: key, code. */
export const sessionsStarted = new Counter({
  name: 'tidings_sessions_started_total',
  help: 'Sign-ins that started a session, by API key or by code',
  labelNames: ['by'] as const,
  registers,
});
/**
 * `reason` is one of: malformed, mistyped, unknown, revoked, expired, code, invalid, insecure, cross_site, limited,
 * failed.
 */
export const sessionsRefused = new Counter({
  name: 'tidings_sessions_refused_total',
  help: 'Sign-ins that were refused, by reason',
  labelNames: ['reason'] as const,
  registers,
});
export const eventStreams = new Gauge({
  name: 'tidings_event_streams',
  help: 'Open streams of live events',
  registers,
});
/** `event` is one of the events in `src/protocol/live-events.ts`. */
export const eventsSent = new Counter({
  name: 'tidings_events_sent_total',
  help: 'Live events sent to streams, by event',
  labelNames: ['event'] as const,
  registers,
});
/** `reason` is one of: client, slow, key, stop, unavailable. */
export const eventStreamsClosed = new Counter({
  name: 'tidings_event_streams_closed_total',
  help: 'Streams of live events that were closed, by reason',
  labelNames: ['reason'] as const,
  registers,
});
const enqueuesWaiting = new Gauge({
  name: 'tidings_journal_waiting_records',
  help: 'Records waiting for a journal lane or in flight',
  labelNames: ['partition'] as const,
  registers,
});
const pubAckSeconds = new Histogram({
  name: 'tidings_journal_puback_seconds',
  help: 'Time from sending a batch to the journal until its acknowledgement (PubAck)',
  buckets: pubAckBuckets,
  registers,
});
const batchRecords = new Histogram({
  name: 'tidings_journal_batch_records',
  help: 'Records in a journal message',
  buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
  registers,
});
/** `outcome` is one of: stored, retried, refused, expired, busy. */
const enqueues = new Counter({
  name: 'tidings_journal_enqueues_total',
  help: 'Records passed to a journal lane, by outcome; records with the outcome "expired" may have been stored',
  labelNames: ['partition', 'outcome'] as const,
  registers,
});
export const journalBytes = new Gauge({
  name: 'tidings_journal_bytes',
  help: 'Size of a partition’s stream, at most TIDINGS_JOURNAL_MAX_BYTES',
  labelNames: ['partition'] as const,
  registers,
});
export const journalRelieved = new Counter({
  name: 'tidings_journal_relieved_total',
  help: 'Snapshots taken early because a stream was filling up',
  labelNames: ['partition'] as const,
  registers,
});
export const journalOverrun = new Counter({
  name: 'tidings_journal_overrun_total',
  help: 'Purges of a nearly full stream beyond the position of a node that is away; the node must fetch a snapshot',
  labelNames: ['partition'] as const,
  registers,
});
const journalConnected = new Gauge({
  name: 'tidings_journal_connected',
  help: '1 while this process is connected to the journal',
  registers,
});
export const limitsCountedLocally = new Counter({
  name: 'tidings_limits_local_total',
  help: 'Requests that a gateway counted towards a limit by itself, because the gateway that keeps this limit did not answer',
  registers,
});
export const durabilityLevel = new Gauge({
  name: 'tidings_journal_durability',
  help: '1 for the durability level that is in use',
  labelNames: ['level'] as const,
  registers,
});
/** `layer` is one of: delivery, record, relay, command, usage, replay. */
export const duplicates = new Counter({
  name: 'tidings_duplicates_total',
  help: 'Duplicates of folded records, by the layer that recognized them',
  labelNames: ['layer'] as const,
  registers,
});
export const recordsFolded = new Counter({
  name: 'tidings_fold_records_total',
  help: 'Records folded, by kind',
  labelNames: ['partition', 'kind'] as const,
  registers,
});
export const recordsDeadLettered = new Counter({
  name: 'tidings_fold_dead_letters_total',
  help: 'Records that could not be folded',
  labelNames: ['partition'] as const,
  registers,
});
export const delayedRecords = new Gauge({
  name: 'tidings_fold_delayed_records',
  help: 'Accepted events that wait for their due time',
  labelNames: ['partition'] as const,
  registers,
});
export const foldLagRecords = new Gauge({
  name: 'tidings_fold_lag_messages',
  help: 'Journal messages that are stored but not yet folded',
  labelNames: ['partition'] as const,
  registers,
});
export const foldLagSeconds = new Gauge({
  name: 'tidings_fold_lag_seconds',
  help: 'Age of the newest folded record, measured when it was folded',
  labelNames: ['partition'] as const,
  registers,
});
export const foldSeconds = new Histogram({
  name: 'tidings_fold_commit_seconds',
  help: 'Time to fold and commit one batch',
  buckets: pubAckBuckets,
  registers,
});
export const flushedSeconds = new Histogram({
  name: 'tidings_store_flushed_seconds',
  help: 'Time from the start of a batch until its data is on disk',
  buckets: pubAckBuckets,
  registers,
});
export const cursorEpoch = new Gauge({
  name: 'tidings_fold_epoch',
  help: 'Number of times that the journal turned out to be replaced or cut',
  labelNames: ['partition'] as const,
  registers,
});
export const storeBytes = new Gauge({
  name: 'tidings_store_bytes',
  help: 'Size of a partition on disk',
  labelNames: ['partition'] as const,
  registers,
});
export const lastSnapshotTime = new Gauge({
  name: 'tidings_snapshot_last_timestamp_seconds',
  help: 'Time of the newest verified snapshot of a partition, in seconds since 1970; 0 if there is none',
  labelNames: ['partition'] as const,
  registers,
});
/** `outcome` is one of: used, refused, lost. */
export const snapshotFetches = new Counter({
  name: 'tidings_snapshot_fetches_total',
  help: 'Snapshots fetched from other nodes, by outcome: used, refused because they are damaged, or lost on the way',
  labelNames: ['partition', 'outcome'] as const,
  registers,
});
export const snapshotFetchedBytes = new Counter({
  name: 'tidings_snapshot_fetched_bytes_total',
  help: 'Bytes of snapshots fetched from other nodes',
  labelNames: ['partition'] as const,
  registers,
});
export const snapshotFetchProgress = new Gauge({
  name: 'tidings_snapshot_fetch_progress',
  help: 'Fetched part of the snapshot that a partition waits for, between 0 and 1; absent while none is fetched',
  labelNames: ['partition'] as const,
  registers,
});
export const readerSlots = new Gauge({
  name: 'tidings_store_reader_slots',
  help: 'Reader slots in use in a partition',
  labelNames: ['partition'] as const,
  registers,
});
export const partitionLead = new Gauge({
  name: 'tidings_lead',
  help: '1 while this node leads a partition: it carries out the effects of the partition',
  labelNames: ['partition'] as const,
  registers,
});
export const leadChanges = new Counter({
  name: 'tidings_lead_changes_total',
  help: 'Times that a process of this node became the lead of a partition, or lost the lead to another process',
  labelNames: ['partition', 'change'] as const,
  registers,
});
export const leadRejected = new Counter({
  name: 'tidings_lead_rejected_total',
  help: 'Records of former leads that the fold dropped, by kind of record',
  labelNames: ['partition', 'kind'] as const,
  registers,
});
export const clockOffsetSeconds = new Gauge({
  name: 'tidings_clock_offset_seconds',
  help: 'Seconds by which the clock of this node is ahead of the clock of the NATS server; 0 on one machine',
  registers,
});
export const replicaDiverged = new Gauge({
  name: 'tidings_replica_diverged',
  help: '1 while the state of a partition on this node differs from that of other nodes, and until a repair is confirmed',
  labelNames: ['partition'] as const,
  registers,
});
export const partitionAlarms = new Gauge({
  name: 'tidings_partition_alarm',
  help: '1 while a partition needs an operator. With the cause hole, store, lock, version or diverged, the partition is stopped. With clock or erasure, an erasure waits for approval',
  labelNames: ['partition', 'cause'] as const,
  registers,
});
/**
 * `kind` is one of: `pulls`, `issues`, `comments`, `pushes`, `commits`, `repositories`, `organisations`, `keys`,
 * `secrets`, `endpoints`.
 */
export const erasedRecords = new Counter({
  name: 'tidings_retention_erased_total',
  help: 'Records erased after their retention period, by kind',
  labelNames: ['partition', 'kind'] as const,
  registers,
});
export const lastSweepTime = new Gauge({
  name: 'tidings_retention_last_sweep_timestamp_seconds',
  help: 'Time when the last retention sweep of a partition ended, in seconds since 1970; 0 if there was none',
  labelNames: ['partition'] as const,
  registers,
});
export const outboxRows = new Gauge({
  name: 'tidings_outbox_rows',
  help: 'Effects, such as renders and backfills, that are stored but not yet carried out',
  labelNames: ['partition'] as const,
  registers,
});
export const renderSeconds = new Histogram({
  name: 'tidings_render_seconds',
  help: 'Duration of a render task in its thread',
  labelNames: ['task'] as const,
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  registers,
});
/** `task` is one of: render, recount. */
export const renderFailures = new Counter({
  name: 'tidings_render_failures_total',
  help: 'Failed drafts and failed recounts of ranges, by task',
  labelNames: ['task'] as const,
  registers,
});
export const renderQueue = new Gauge({
  name: 'tidings_render_queue_tasks',
  help: 'Render tasks waiting for a thread',
  registers,
});
/** `state` is one of: running, waiting. */
export const backfillsUnderWay = new Gauge({
  name: 'tidings_backfills_under_way',
  help: 'Backfills in progress, by state',
  labelNames: ['state'] as const,
  registers,
});
/** `outcome` is one of: completed, failed. */
export const backfillsEnded = new Counter({
  name: 'tidings_backfills_ended_total',
  help: 'Backfills that ended, by outcome',
  labelNames: ['outcome'] as const,
  registers,
});
/** `kind` is one of: pulls, issues, comments, reviews, tags, releases, commits. */
export const hostItems = new Counter({
  name: 'tidings_host_items_total',
  help: 'Items read from the REST API of a host, by kind',
  labelNames: ['kind'] as const,
  registers,
});
/** `outcome` is one of: confirmed, missing, owner, login, installation, unavailable. */
export const ownerConfirmations = new Counter({
  name: 'tidings_owner_confirmations_total',
  help: 'Requests to hosts to confirm the owner of a repository, by outcome; only after "confirmed" may the service use its credentials for the repository',
  labelNames: ['outcome'] as const,
  registers,
});
export const claimsRefused = new Counter({
  name: 'tidings_claims_refused_total',
  help: 'Deliveries that had no effect, because they claimed a repository of another organization',
  labelNames: ['partition'] as const,
  registers,
});
/** `outcome` is one of: read, unchanged, refused, missing, unavailable, failed. */
export const hostRequests = new Counter({
  name: 'tidings_host_requests_total',
  help: 'Requests to the REST API of a host, for list pages and single objects, by outcome',
  labelNames: ['outcome'] as const,
  registers,
});
/** `reason` is one of: rate_limit, secondary_limit, server_error. */
export const hostWaitSeconds = new Counter({
  name: 'tidings_host_wait_seconds_total',
  help: 'Time that the service waited for a host, by reason',
  labelNames: ['reason'] as const,
  registers,
});
/** `outcome` is one of: completed, retried, failed, unknown. */
export const publications = new Counter({
  name: 'tidings_publications_total',
  help: 'Attempts to publish, by channel and outcome',
  labelNames: ['channel', 'outcome'] as const,
  registers,
});
export const publicationsDoubled = new Counter({
  name: 'tidings_publications_doubled_total',
  help: 'Publications of which a receiver has two items: a process that was frozen sent one after another had replaced it',
  labelNames: ['channel'] as const,
  registers,
});
export const publicationSeconds = new Histogram({
  name: 'tidings_publication_seconds',
  help: 'Duration of a delivery to a channel',
  labelNames: ['channel'] as const,
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  registers,
});
export const publicationsUnderWay = new Gauge({
  name: 'tidings_publications_under_way',
  help: 'Publications that have not ended, including those that wait for another attempt',
  labelNames: ['partition'] as const,
  registers,
});
export const openBreakers = new Gauge({
  name: 'tidings_publish_open_breakers',
  help: 'Receivers that are not tried for a while because of repeated failures, by channel',
  labelNames: ['channel'] as const,
  registers,
});
/** `status` is one of: completed, failed, skipped. */
export const automationRuns = new Counter({
  name: 'tidings_automation_runs_total',
  help: 'Runs of automation rules that ended, by status',
  labelNames: ['status'] as const,
  registers,
});
/** `outcome` is one of: written, unchanged, skipped, retried, failed. */
export const noteChecks = new Counter({
  name: 'tidings_note_checks_total',
  help: 'Release note checks of pull requests, by outcome',
  labelNames: ['outcome'] as const,
  registers,
});
/** `kind` is one of: check_run, status, comment. `outcome` is one of: created, updated, unchanged, failed. */
export const noteCheckWrites = new Counter({
  name: 'tidings_note_check_writes_total',
  help: 'Verdicts and comments that checks of pull requests wrote to hosts, by kind and outcome',
  labelNames: ['kind', 'outcome'] as const,
  registers,
});
export const noteChecksWaiting = new Gauge({
  name: 'tidings_note_checks_waiting',
  help: 'Release note checks of pull requests that wait for their due time or for their host',
  labelNames: ['partition'] as const,
  registers,
});
/** `outcome` is one of: delivered, failed, gone. */
export const endpointAttempts = new Counter({
  name: 'tidings_webhook_endpoint_attempts_total',
  help: 'Attempts to deliver to webhook endpoints, by outcome',
  labelNames: ['outcome'] as const,
  registers,
});
export const endpointSeconds = new Histogram({
  name: 'tidings_webhook_endpoint_reply_seconds',
  help: 'Duration of an attempt to deliver to a webhook endpoint',
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
  registers,
});
export const endpointQueue = new Gauge({
  name: 'tidings_webhook_endpoint_queue_deliveries',
  help: 'Deliveries to webhook endpoints that wait for their first or next attempt',
  registers,
});
/** `reason` is one of: gone, failing. */
export const endpointsDisabled = new Counter({
  name: 'tidings_webhook_endpoints_disabled_total',
  help: 'Webhook endpoints that the service has disabled, by reason',
  labelNames: ['reason'] as const,
  registers,
});
export const serviceReady = new Gauge({
  name: 'tidings_ready',
  help: '1 while /readyz reports that the service is ready',
  registers,
});
export const diskFreeBytes = new Gauge({
  name: 'tidings_disk_free_bytes',
  help: 'Free space of the file system that holds TIDINGS_DATA_DIR',
  registers,
});
export const childRestarts = new Counter({
  name: 'tidings_child_restarts_total',
  help: 'Restarts of child processes by the supervisor, by role',
  labelNames: ['role'] as const,
  registers,
});

/** The metrics of a client of the journal. */
export const journalMeters = { journalConnected, enqueuesWaiting, pubAckSeconds, batchRecords, enqueues };

/**
 * Interval between two measurements of the event loop, in milliseconds. Each measurement wakes the process. With the
 * default of 10 ms, an idle service used 0.9 % of a core for these measurements alone. The reported lag contains this
 * interval.
 */
const eventLoopMonitoringPrecision = 200;

/** Adds the metrics of the Node.js runtime (memory, event loop, garbage collection) to the registry of this process. */
export function collectRuntimeMetrics(): void {
  if (registry.getSingleMetric('tidings_process_cpu_user_seconds_total')) return;
  collectDefaultMetrics({ register: registry, prefix: 'tidings_', eventLoopMonitoringPrecision });
}
