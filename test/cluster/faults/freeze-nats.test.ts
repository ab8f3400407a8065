/** One fault of the cluster tests, on a cluster of its own: `test/helpers/faults/freeze-nats.ts`. */
import { testFaults } from '../../helpers/cluster-faults.ts';
import { freezeNats } from '../../helpers/faults/freeze-nats.ts';

testFaults('freeze-nats', [freezeNats]);
