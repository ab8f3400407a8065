/** A repository that writes Conventional Commits: a service that reads tide gauges. */
import { defaultSettings } from '../../../../src/protocol/notes.ts';
import { between, direct, issue, pull, release, type Style } from './style.ts';

const steps = [
  pull(412, 'feat(api): add `GET /v2/gauges/{id}/forecast`', { by: 'oduya', linkedIssues: [380] }),
  pull(415, 'fix(parser): keep readings whose `quality_flag` is empty', { by: 'sanne-b', linkedIssues: [409] }),
  pull(417, 'feat(alerts)!: name thresholds in metres', {
    by: 'oduya',
    body: 'Thresholds were read in centimetres.\n\n## Migration\n\nDivide each `threshold` in `alerts.yaml` by 100 before you start 2.4:\n\n```yaml\nthreshold: 3.2\n```\n',
  }),
  pull(418, 'perf(store): read a day of samples with one query', { by: 'sanne-b' }),
  pull(421, 'chore(deps): bump sqlite from 5.1.6 to 5.1.7', { by: 'dependabot[bot]', bot: true }),
  pull(422, 'docs(readme): explain the format of `stations.csv`', { by: 'kwame-a' }),
  pull(424, 'fix(test): wait for the clock in alerts_test', { by: 'kwame-a' }),
  pull(425, 'refactor(store): split the reader', { by: 'oduya' }),
  pull(427, 'fix(alerts): do not send an alert twice after a restart', { by: 'lio-chen', linkedIssues: [420] }),
  pull(428, 'feat: import stations from GeoJSON', { by: 'lio-chen' }),
  pull(430, 'fix(api): return 404, not 500, for unknown gauges', { by: 'sanne-b' }),
  pull(431, 'ci: build images for arm64', { by: 'kwame-a' }),
  pull(433, 'fix: time zone of `--since` is ignored', {
    by: 'oduya',
    body: 'BREAKING CHANGE: `--since` is now local time. Append `Z` for UTC.\n\nReviewed-by: Sanne',
  }),
  pull(434, 'revert: feat(ui): show wind barbs (#399)', { by: 'oduya', body: 'This reverts #399.' }),
  direct('oduya', 'chore(release): 2.4.0'),
];

export const conventional: Style = {
  name: 'conventional',
  memory: release('northpier/tidewatch', ['v2.3.0', 'v2.4.0'], steps, {
    issues: [
      issue(380, 'Forecast per gauge', { labels: ['enhancement'] }),
      issue(409, 'Readings without a flag disappear from the chart', {
        author: { login: 'harbourmaster', bot: false },
      }),
      issue(420, 'Please stop the second alert after every deploy', { author: { login: 'nightshift', bot: false } }),
    ],
    settings: defaultSettings,
  }),
  bounds: between('v2.3.0', 'v2.4.0'),
  breaking: ['pr:417', 'pr:433'],
};
