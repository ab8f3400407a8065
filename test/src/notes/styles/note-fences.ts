/** A repository whose template asks for a fenced `release-note` block, or NONE: an operator for clusters. */
import { between, pull, release, type Style } from './style.ts';

function body(what: string, note: string): string {
  return `**What this PR does / why we need it**:\n${what}\n\n**Special notes for your reviewer**:\n\n**Does this PR introduce a user-facing change?**:\n<!--\nIf no, write "NONE" in the block below.\n-->\n\`\`\`release-note\n${note}\n\`\`\`\n`;
}

const steps = [
  pull(5120, 'Add maxSurge to RollingPool', {
    by: 'ngozi-u',
    body: body(
      'Pools could only shrink before they grow.',
      'Pools can now grow before they shrink: set `spec.strategy.maxSurge`.',
    ),
  }),
  pull(5123, 'pool controller: requeue on conflict', {
    by: 'teodor',
    body: body(
      'Conflicts ended in a backoff of minutes.',
      'Fixed a delay of several minutes after two edits of one pool.',
    ),
  }),
  pull(5124, 'Move e2e suites to kind', { by: 'teodor', body: body('Faster.', 'NONE') }),
  pull(5126, 'Drop v1alpha1', {
    by: 'ngozi-u',
    body: body(
      'It was deprecated two releases ago.',
      'ACTION REQUIRED: The API version `v1alpha1` is no longer served. Convert stored objects with `keelctl convert --all` before the upgrade.',
    ),
  }),
  pull(5127, 'Honor PodDisruptionBudget while draining', {
    by: 'sunniva',
    body: body(
      'Fixes the drain.',
      '- Draining a node now respects disruption budgets.\n- `keelctl drain --force` skips them.',
    ),
  }),
  pull(5129, 'webhook: default the storage class', { by: 'sunniva', body: body('See title.', 'none') }),
  pull(5130, 'Expose `keelson_pool_ready_seconds`', {
    by: 'ibrahim-s',
    body: body('For dashboards.', 'New metric `keelson_pool_ready_seconds`: time until all nodes of a pool are ready.'),
  }),
  pull(5131, 'Bump golang.org/x/net to v0.38.0', { by: 'dependabot[bot]', bot: true, body: 'Bumps golang.org/x/net.' }),
  pull(5133, 'fix nil pointer if spec.network is missing', {
    by: 'ibrahim-s',
    body: body('A panic.', 'NONE'),
  }),
  pull(5135, 'Serve metrics over TLS by default', {
    by: 'ngozi-u',
    body: body('Hardening.', '[ACTION REQUIRED] Metrics are served over TLS. Scrapers need `scheme: https`.'),
  }),
  pull(5136, 'Let users pick an upgrade window', {
    by: 'teodor',
    body: body(
      'Asked for often.',
      'Clusters are upgraded inside a weekly window, if `spec.maintenance.window` is set. The window is read in the time zone of the cluster. Upgrades that do not fit are postponed to the next window, and the condition `UpgradePostponed` says so. Emergency upgrades ignore the window unless `spec.maintenance.strict` is true, which is not recommended.',
    ),
  }),
];

export const noteFences: Style = {
  name: 'note-fences',
  memory: release('stratus/keelson', ['v0.17.0', 'v0.18.0'], steps),
  bounds: between('v0.17.0', 'v0.18.0'),
  breaking: ['pr:5126', 'pr:5135'],
};
