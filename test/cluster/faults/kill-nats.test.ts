/** One fault of the cluster tests, on a cluster of its own: `test/helpers/faults/kill-nats.ts`. */
import { testFaults } from '../../helpers/cluster-faults.ts';
import { killNats } from '../../helpers/faults/kill-nats.ts';

testFaults('kill-nats', [killNats]);
