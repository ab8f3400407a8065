/**
 * The part of `tidings doctor` about versions: Tidings itself and Node.js. That of nats-server is told with the journal.
 */
import { readFileSync } from 'node:fs';
import { atLeast } from '../journal/topology.ts';
import type { Finding } from './finding.ts';

/** Which Tidings this is, and whether Node.js is one that it runs on. */
export function checkVersions(): Finding[] {
  const isGood = atLeast(process.version, [20, 19, 0]);
  return [
    { verdict: 'ok', text: `tidings ${ownVersion()}` },
    {
      verdict: isGood ? 'ok' : 'fault',
      text: `node ${process.version}${isGood ? '' : ': expected 20.19 or later'}`,
    },
  ];
}

function ownVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
