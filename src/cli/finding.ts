/**
 * One line of what `tidings doctor` reports.
 */

export type Verdict = 'ok' | 'note' | 'fault';

export interface Finding {
  verdict: Verdict;
  text: string;
}
