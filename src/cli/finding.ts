/**
 * One line of what `tidings doctor` reports.
 */

export type Verdict = 'ok' | 'note' | 'fault';

export interface Finding {
  verdict: Verdict;
  text: string;
}

/** A finding without the user and the password of the addresses in it. */
export function withoutUserInfo({ verdict, text }: Finding): Finding {
  return { verdict, text: text.replace(/\/\/[^\s/@]*@/g, '//') };
}
