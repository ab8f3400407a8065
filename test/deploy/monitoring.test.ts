/**
 * Tests that all names in the alert rules and the dashboard exist: metrics, labels, label values, and the sections of
 * documents.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Histogram } from 'prom-client';
import { parse } from 'yaml';
import { type SettingEntry, settingEntries } from '../../config/load.ts';
import { collectRuntimeMetrics, registry } from '../../src/foundation/metrics.ts';
import { anchorsOf } from '../helpers/anchors.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { namesIn } from '../helpers/promql.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const operations = read('docs/operations.md');
const alertsFile = 'deploy/prometheus/alerts.yml';

interface Rule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}

const rules = (parse(read(alertsFile)) as { groups: { name: string; rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
  datasource?: { uid: string };
  targets?: { expr: string; legendFormat: string; refId: string }[];
}

interface Dashboard {
  uid: string;
  title: string;
  schemaVersion: number;
  panels: Panel[];
  templating: { list: { name: string; type: string; query: string | { query: string } }[] };
}

const dashboard = JSON.parse(read('deploy/grafana/dashboards/tidings.json')) as Dashboard;
const expressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
);

/** Labels that Prometheus adds to each series. */
const addedLabels = ['job', 'instance'];

/**
 * Returns the labels of a series that has the given name in PromQL. Returns undefined when the service has no such
 * series.
 */
function labelsOf(series: string): string[] | undefined {
  if (series === 'up') return addedLabels;
  collectRuntimeMetrics();
  const whole = registry.getSingleMetric(series);
  const base = registry.getSingleMetric(series.replace(/_(bucket|sum|count)$/, ''));
  const isHistogram = (metric: unknown) => metric instanceof Histogram;
  // A histogram `x` has only the series `x_bucket`, `x_sum` and `x_count`. Any other metric `x` has only the series
  // `x`.
  const metric = whole && !isHistogram(whole) ? whole : base !== whole && isHistogram(base) ? base : undefined;
  if (!metric) return undefined;
  const { labelNames } = metric as unknown as { labelNames: string[] };
  return [...labelNames, ...(series.endsWith('_bucket') ? ['le'] : []), ...addedLabels];
}

/** Returns the row of a metric in the operations handbook. The row lists the values of the metric's labels. */
function rowOf(series: string): string {
  const names = [series, series.replace(/_(bucket|sum|count)$/, '')].map((name) => `| \`${name}\` |`);
  return operations.split('\n').find((line) => names.some((name) => line.startsWith(name))) ?? '';
}

/** Returns one message for each unknown name in an expression. */
function faultsOf(expression: string): string[] {
  const { selectors, grouped } = namesIn(expression);
  const faults: string[] = selectors.length === 0 ? ['it names no metric'] : [];
  for (const { metric, matchers } of selectors) {
    const labels = labelsOf(metric);
    if (!labels) {
      faults.push(`there is no series ${metric}`);
      continue;
    }
    for (const label of [...grouped, ...matchers.map((matcher) => matcher.label)])
      if (!labels.includes(label)) faults.push(`${metric} has no label ${label}`);
    for (const { label, value } of matchers) {
      if (addedLabels.includes(label) || value.startsWith('$') || /^\d\.\.$/.test(value)) continue;
      const missing = value.split('|').filter((each) => !new RegExp(`[\`"]${each}[\`"]`).test(rowOf(metric)));
      if (missing.length > 0) faults.push(`${metric} has no ${label} ${missing.join(', ')}`);
    }
  }
  return faults;
}

function defaultOf(variable: string): number {
  return (settingEntries.find(({ env }) => env === variable) as SettingEntry).default as number;
}

test('the checker finds names that do not exist', () => {
  assert.deepEqual(
    faultsOf('sum by (outcome) (rate(tidings_webhooks_received_total{outcome="queued"}[5m])) > 1e3'),
    [],
  );
  assert.deepEqual(faultsOf('sum(rate(tidings_nothing_total[5m]))'), ['there is no series tidings_nothing_total']);
  assert.deepEqual(faultsOf('tidings_webhook_reply_seconds > 1'), ['there is no series tidings_webhook_reply_seconds']);
  assert.deepEqual(faultsOf('tidings_fold_epoch_bucket'), ['there is no series tidings_fold_epoch_bucket']);
  assert.deepEqual(faultsOf('sum by (kind) (tidings_fold_epoch)'), ['tidings_fold_epoch has no label kind']);
  assert.deepEqual(faultsOf('sum(tidings_fold_epoch) by (kind)'), ['tidings_fold_epoch has no label kind']);
  assert.deepEqual(faultsOf('tidings_partition_alarm{cause=~"hole|whim"}'), [
    'tidings_partition_alarm has no cause whim',
  ]);
  assert.deepEqual(faultsOf('max(1) > 0'), ['it names no metric']);
  assert.deepEqual(
    faultsOf('histogram_quantile(0.9, sum by (le) (rate(tidings_publication_seconds_bucket[$__rate_interval])))'),
    [],
  );
  assert.throws(() => namesIn('sum(tidings_ready; drop)'), /not PromQL/);
});

test('alert rules use metrics that exist', () => {
  assert.ok(rules.length > 0);
  for (const { alert, expr } of rules) assert.deepEqual(faultsOf(expr), [], alert);
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length, 'names are unique');
});

test('each alert has a duration, a severity, a summary and a description that names an existing section', () => {
  const anchors = anchorsOf(operations);
  for (const { alert, expr, annotations, ...rule } of rules) {
    assert.match(rule.for, /^\d+[smhd]$/, alert);
    assert.match(rule.labels.severity, /^(critical|warning|info)$/, alert);
    assert.ok(annotations.summary.length > 0, alert);
    const [, anchor] = /See docs\/operations\.md#([\w-]+)\.$/.exec(annotations.description.trim()) ?? [];
    assert.ok(anchor !== undefined && anchors.has(anchor), `${alert} names a section: ${anchor}`);
    // The result of an alert expression has only the labels that the expression groups by. Any other label would be
    // empty in the text of the alert.
    const { selectors, grouped } = namesIn(expr);
    const kept = expr.startsWith('up') ? addedLabels : grouped;
    assert.ok(selectors.length > 0);
    const shown = [...`${annotations.summary} ${annotations.description}`.matchAll(/\$labels\.(\w+)/g)];
    for (const [, label] of shown) assert.ok(kept.includes(label as string), `${alert} shows ${label}`);
  }
});

test('thresholds that depend on a setting match its default', () => {
  const threshold = (name: string) =>
    Number(/> (\S+)$/.exec(rules.find(({ alert }) => alert === name)?.expr ?? '')?.[1]);
  assert.equal(threshold('TidingsJournalNearFull'), defaultOf('TIDINGS_JOURNAL_MAX_BYTES') * 0.75);
  assert.equal(threshold('TidingsBodyMemory'), defaultOf('TIDINGS_BODY_BUDGET_BYTES') / 2);
  assert.equal(threshold('TidingsJournalQueueGrows'), defaultOf('TIDINGS_WAITING_RECORDS') / 2);
  assert.equal(threshold('TidingsSnapshotOld'), defaultOf('TIDINGS_SNAPSHOT_MINUTES') * 60 * 4);
});

test('the dashboard uses metrics that exist', () => {
  for (const { title, expr, legendFormat } of expressions) {
    assert.deepEqual(faultsOf(expr), [], title);
    const { grouped } = namesIn(expr);
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
      assert.ok(grouped.includes(label as string), `${title} shows ${label}`);
  }
  for (const { name, type, query } of dashboard.templating.list) {
    if (type !== 'query') continue;
    const text = typeof query === 'string' ? query : query.query;
    const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(text) ?? [];
    assert.ok(labelsOf(metric)?.includes(label), `the variable ${name} asks for ${text}`);
  }
});

test('the dashboard uses only its own variables, and its panels do not overlap', () => {
  const variables = dashboard.templating.list.map(({ name }) => name);
  for (const { title, expr } of expressions)
    for (const [, variable] of expr.matchAll(/\$(\w+)/g))
      assert.ok(variables.includes(variable as string) || variable === '__rate_interval', `${title}: $${variable}`);
  assert.ok(dashboard.schemaVersion >= 38);
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  const cells = new Set<string>();
  for (const { title, type, datasource, gridPos } of dashboard.panels) {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana
    if (type !== 'row') assert.equal(datasource?.uid, '${datasource}', title);
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(!cells.has(`${x} ${y}`), `${title} overlaps another panel`);
        cells.add(`${x} ${y}`);
      }
  }
});

test('scrape and provisioning files name targets that exist', () => {
  const prometheus = parse(read('deploy/prometheus/prometheus.yml')) as {
    rule_files: string[];
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
  };
  assert.deepEqual(prometheus.rule_files, ['alerts.yml']);
  const [job] = prometheus.scrape_configs;
  assert.equal(job?.job_name, 'tidings');
  assert.deepEqual(job?.static_configs, [{ targets: [`tidings:${defaultOf('TIDINGS_OPS_PORT')}`] }]);
  const folder = 'deploy/grafana/provisioning';
  const [source] = (
    parse(read(`${folder}/datasources/prometheus.yml`)) as { datasources: { type: string; url: string }[] }
  ).datasources;
  assert.deepEqual([source?.type, source?.url], ['prometheus', 'http://prometheus:9090']);
  const [provider] = (parse(read(`${folder}/dashboards/tidings.yml`)) as { providers: { options: { path: string } }[] })
    .providers;
  const mounted = `./grafana/dashboards:${provider?.options.path}:ro`;
  assert.ok(read('deploy/compose.yaml').includes(mounted), 'compose mounts the folder of dashboards');
  assert.deepEqual(readdirSync(join(root, 'deploy/grafana/dashboards')), ['tidings.json']);
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

test('promtool accepts the rules and their tests', { skip: hasPromtool ? false : 'promtool is not installed' }, () => {
  const promtool = (...args: string[]) => execFileSync('promtool', args, { cwd: root, encoding: 'utf8' });
  assert.match(promtool('check', 'rules', alertsFile), new RegExp(`SUCCESS: ${rules.length} rules found`));
  assert.match(promtool('check', 'config', 'deploy/prometheus/prometheus.yml'), /SUCCESS/);
  assert.match(promtool('test', 'rules', 'test/deploy/alerts.yml'), /SUCCESS/);
});

test('promtool accepts the queries of the dashboard', {
  skip: hasPromtool ? false : 'promtool is not installed',
}, (t) => {
  const rules = expressions.map(({ expr }, i) => ({
    record: `panel:query:${i}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.*'),
  }));
  const file = join(temporaryFolder(t), 'panels.yml');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
  const output = execFileSync('promtool', ['check', 'rules', file], { encoding: 'utf8' });
  assert.match(output, new RegExp(`SUCCESS: ${rules.length} rules found`));
});
