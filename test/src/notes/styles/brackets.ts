/** A repository that begins titles with a kind in brackets and an area: a store for measurements. */
import { between, pull, release, type Style } from './style.ts';

const steps = [
  pull(1802, '[BUGFIX] storage: Fix goroutine leak when `Open()` fails', { by: 'brannigan' }),
  pull(1805, '[FEATURE] query: Add `rate_over()` and `stddev_over()`', { by: 'tamsin-k' }),
  pull(1806, '[ENHANCEMENT] UI: Keep the zoom when the range changes', { by: 'wes-o' }),
  pull(1809, '[CHANGE] config: Rename `scrape_wait` to `scrape_timeout`', { by: 'tamsin-k' }),
  pull(1810, '[CHANGE] [BREAKING] remote: Drop protocol version 1', {
    by: 'brannigan',
    body: '### Upgrading\n\nReceivers must speak version 2. Set `protocol_version: 2` on the sender first.',
  }),
  pull(1811, '[PERF] storage: Reuse buffers while compacting', { by: 'ilse-v' }),
  pull(1813, '[BUGFIX] UI: Escape label values in the legend', { by: 'wes-o' }),
  pull(1814, '[BUGFIX] query: `topk` returned series in wrong order', { by: 'ilse-v' }),
  pull(1816, '[DOC] Describe the layout of a block on disk', { by: 'ilse-v' }),
  pull(1817, '[CI] Pin the action versions', { by: 'brannigan' }),
  pull(1818, '[BUGFIX] storage: Do not delete blocks that are being read', { by: 'tamsin-k' }),
  pull(1820, '[SECURITY] web: Reject `..` in console paths', { by: 'brannigan' }),
  pull(1821, '[FEATURE][UI] Dark theme', { by: 'wes-o' }),
  pull(1822, '[BUGFIX] storage: Recover from an empty `wal/checkpoint.00012`', { by: 'ilse-v' }),
];

export const brackets: Style = {
  name: 'brackets',
  memory: release('ferrous/quarry', ['v0.41.0', 'v0.42.0'], steps),
  bounds: between('v0.41.0', 'v0.42.0'),
  breaking: ['pr:1810'],
};
