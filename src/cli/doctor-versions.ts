/**
 * The part of `tidings doctor` about the versions of Tidings and Node.js. The version of nats-server is reported with
 * the findings about the journal.
 */

import { version } from '../foundation/version.ts';
import { atLeast } from '../journal/topology.ts';
import type { Finding } from './finding.ts';

/** Reports the version of Tidings, and whether the version of Node.js is supported. */
export function checkVersions(): Finding[] {
  const isGood = atLeast(process.version, [20, 19, 0]);
  return [
    { verdict: 'ok', text: `tidings ${version}` },
    {
      verdict: isGood ? 'ok' : 'fault',
      text: `node ${process.version}${isGood ? '' : ': expected 20.19 or later'}`,
    },
  ];
}
