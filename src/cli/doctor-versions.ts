/**
 * The part of `tidings doctor` about versions: Tidings itself and Node.js. The part about the journal reports the version of nats-server.
 */

import { version } from '../foundation/version.ts';
import { atLeast } from '../journal/topology.ts';
import type { Finding } from './finding.ts';

/** Which Tidings this is, and whether Node.js is one that it runs on. */
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
