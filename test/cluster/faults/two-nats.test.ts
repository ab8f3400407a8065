/** One fault of the cluster tests, on a cluster of its own: `test/helpers/faults/two-nats.ts`. */
import { testFaults } from '../../helpers/cluster-faults.ts';
import { twoNats } from '../../helpers/faults/two-nats.ts';

testFaults('two-nats', [twoNats]);
