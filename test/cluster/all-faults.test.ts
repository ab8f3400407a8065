/**
 * Causes each fault of `test/helpers/faults/` once, on one cluster, to save the time of starting it. This is the short
 * form; `test/cluster/faults/` causes each fault on a cluster of its own.
 */
import { testFaults } from '../helpers/cluster-faults.ts';
import { freezeNats } from '../helpers/faults/freeze-nats.ts';
import { freezeNode } from '../helpers/faults/freeze-node.ts';
import { killNats } from '../helpers/faults/kill-nats.ts';
import { killNode } from '../helpers/faults/kill-node.ts';
import { stopNode } from '../helpers/faults/stop-node.ts';
import { twoNats } from '../helpers/faults/two-nats.ts';

testFaults('a cluster under load', [killNode, freezeNode, stopNode, killNats, freezeNats, twoNats]);
