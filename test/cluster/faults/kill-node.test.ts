/** One fault of the cluster tests, on a cluster of its own: `test/helpers/faults/kill-node.ts`. */
import { testFaults } from '../../helpers/cluster-faults.ts';
import { killNode } from '../../helpers/faults/kill-node.ts';

testFaults('kill-node', [killNode]);
