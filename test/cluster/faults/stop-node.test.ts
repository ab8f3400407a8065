/** One fault of the cluster tests, on a cluster of its own: `test/helpers/faults/stop-node.ts`. */
import { testFaults } from '../../helpers/cluster-faults.ts';
import { stopNode } from '../../helpers/faults/stop-node.ts';

testFaults('stop-node', [stopNode]);
