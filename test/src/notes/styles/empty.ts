/**
 * Ranges without a line for customers: a range without any change, a range with only inside work, and a range whose
 * changes have no kind yet.
 */
import { between, direct, pull, release, type Style } from './style.ts';

const bounds = between('v1.0.0', 'v1.0.1');

/** Two tags with nothing but a release commit between them. */
export const emptyRange: Style = {
  name: 'empty-range',
  memory: release('lanyard/whistle', ['v1.0.0', 'v1.0.1'], [direct('edda', 'Release 1.0.1')]),
  bounds,
  breaking: [],
};

export const emptyInside: Style = {
  name: 'empty-inside',
  memory: release(
    'lanyard/whistle',
    ['v1.0.0', 'v1.0.1'],
    [
      pull(21, 'ci: cache the toolchain', { by: 'edda' }),
      pull(22, 'test: cover the retry of `sendBatch`', { by: 'edda' }),
      pull(23, 'refactor(core): one place for time', { by: 'joss-k' }),
      pull(24, 'Add unit tests for the parser', { by: 'joss-k' }),
      pull(25, 'docs: describe the wire format', { by: 'edda' }),
      pull(26, 'chore(deps): bump prettier from 3.5.0 to 3.6.2', { by: 'dependabot[bot]', bot: true }),
      pull(27, 'fix(test): remove a sleep', { by: 'joss-k' }),
      direct('joss-k', 'lint: sort imports'),
      direct('edda', 'Release 1.0.1'),
    ],
  ),
  bounds,
  breaking: [],
};

export const emptyUndecided: Style = {
  name: 'empty-undecided',
  memory: release(
    'lanyard/whistle',
    ['v1.0.0', 'v1.0.1'],
    [
      pull(31, 'Whistle on the other channel', { by: 'edda' }),
      pull(32, 'Use a ring buffer', { by: 'joss-k' }),
      pull(33, 'Rework of the scheduler', { by: 'joss-k' }),
      pull(34, 'ci: cache the toolchain', { by: 'edda' }),
      direct('edda', 'Switch to the new clock'),
      direct('edda', 'Release 1.0.1'),
    ],
  ),
  bounds,
  breaking: [],
};
