/**
 * A repository with a release line that gets bulk cherry-picks: a queue. Some changes were already in an earlier release
 * of the line, and one picked commit has no known original.
 */
import { between, direct, type Line, pull, records, type Style, sha } from './style.ts';

const changes = [
  pull(3301, 'Fix a hang when the last consumer leaves', { by: 'ottoline' }),
  pull(3304, 'broker: limit the size of `trace_id` headers', { by: 'vasco-r', labels: ['bug'] }),
  pull(3307, 'Add `--drain-timeout` to `rigctl stop`', { by: 'ottoline' }),
  pull(3309, 'Fix lost acknowledgements after a leader change', { by: 'nayeli' }),
  pull(3310, 'broker: do not count expired messages twice', { by: 'nayeli', labels: ['bug'] }),
  pull(3312, 'Update the list of supported platforms in the docs', { by: 'vasco-r' }),
  pull(3315, 'client: reconnect after the machine slept', { by: 'piet-j', labels: ['bug'] }),
  pull(3318, 'Fix wrong offsets in `GET /streams/{name}`', { by: 'piet-j' }),
  pull(3321, 'tls: reload certificates on SIGHUP', { by: 'vasco-r', labels: ['enhancement'] }),
];

const main: Line = {
  branch: 'main',
  from: 20,
  start: sha('root'),
  steps: [direct('ottoline', 'Start 3.3'), ...changes],
  tags: {},
};

/** Returns the message of a commit that `git cherry-pick -x` made from a change on `main`. */
function picked(number: number): string {
  const commit = changes.find((step) => step.pull?.number === number)?.commits.at(-1);
  return `${commit?.message}\n\n(cherry picked from commit ${commit?.sha})`;
}

const line: Line = {
  branch: 'release-3.2',
  from: 40,
  start: sha('root'),
  steps: [
    direct('ottoline', 'Release 3.2.4'),
    pull(3313, '[release-3.2] Fix lost acknowledgements after a leader change', {
      by: 'nayeli',
      body: 'Backport of #3309.',
      headRef: 'backport-3309-to-release-3.2',
    }),
    direct('ottoline', 'Release 3.2.5'),
    pull(3325, 'Cherry-picks for 3.2.6', {
      by: 'ottoline',
      body: 'Includes the following:\n\n- #3301\n- Limit header size #3304\n- https://git.example/oakum/rigging/pull/3309\n- #3312\n',
    }),
    pull(3327, '[release-3.2] Picks, second round', {
      by: 'vasco-r',
      commits: [
        picked(3310),
        picked(3315),
        `Fix exit code of \`rigctl status\`\n\n(cherry picked from commit ${sha('a private branch')})`,
      ],
    }),
    pull(3329, 'Fix wrong offsets in `GET /streams/{name}` (#3318)', {
      by: 'mergebot[bot]',
      bot: true,
      headRef: 'cherry-pick-3318-to-release-3.2',
    }),
    { commits: [{ sha: sha('picked by hand'), message: picked(3321), author: 'vasco-r' }] },
    direct('ottoline', 'Release 3.2.6'),
  ],
  tags: { 'v3.2.4': 0, 'v3.2.5': 2, 'v3.2.6': 7 },
};

export const cherryPicks: Style = {
  name: 'cherry-picks',
  memory: records('oakum/rigging', [main, line]),
  bounds: between('v3.2.5', 'v3.2.6'),
  breaking: [],
};
