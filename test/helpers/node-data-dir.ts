/** Makes the data directory of a node of a cluster, as `tidings cluster init` does, for tests of one node alone. */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { loadSettings } from '../../config/load.ts';
import { writeClusterFile } from '../../src/supervisor/cluster-keys.ts';
import { openDataDir, prepareDataDir } from '../../src/supervisor/first-start.ts';
import { temporaryFolder } from './ports.ts';

/** Makes a data directory with keys of its own and returns its path. */
export function makeNodeDataDir(t: TestContext, partitions = 4): string {
  const dataDir = join(temporaryFolder(t), 'data');
  openDataDir(dataDir);
  prepareDataDir(loadSettings({ TIDINGS_DATA_DIR: dataDir, TIDINGS_PARTITIONS: String(partitions) }), true);
  writeClusterFile(dataDir, 'c1');
  return dataDir;
}
