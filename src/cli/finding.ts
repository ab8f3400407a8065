/** Defines a finding of `tidings doctor`, which is one line of its report. */

export type Verdict = 'ok' | 'note' | 'fault';

export interface Finding {
  verdict: Verdict;
  text: string;
}

/** Removes the user name and the password from all URLs in a finding. */
export function withoutUserInfo({ verdict, text }: Finding): Finding {
  return { verdict, text: text.replace(/\/\/[^\s/@]*@/g, '//') };
}
