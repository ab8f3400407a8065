/** The result of checking a host on request, as the worker of the directory partition sends and remembers it. */

/** What a credential of the settings is good for. Null means that the host does not report it. */
export interface CredentialCheck {
  /** `unknown`: the host did not answer about the credential. */
  state: 'accepted' | 'refused' | 'lacking' | 'unknown';
  /** Scopes or permissions that the credential lacks for reading. */
  missing: readonly string[];
  /** Status of the reply, or the code of the error, if the state is `unknown`. */
  fault: string | null;
  mayRead: boolean;
  mayWrite: boolean | null;
}

/**
 * The result of a check. `answers`: the host answers as the configured kind. `other_kind`: it answers as another kind.
 * `not_a_host`: something answers, but not the API of a known kind. `unreachable`: nothing answers.
 */
export const hostStates = ['answers', 'other_kind', 'not_a_host', 'unreachable'] as const;
export type HostState = (typeof hostStates)[number];

export interface CheckedHost {
  origin: string;
  checkedAt: number;
  state: HostState;
  /** Kind that the host answers as; null if none was recognized. */
  kind: 'github' | 'gitea' | null;
  version: string | null;
  /** Status of a reply that is not from a known kind of host, or the code of the error if nothing answers. */
  fault: string | null;
  token: CredentialCheck | null;
  app: CredentialCheck | null;
}

/** Asks the worker of the directory partition to check a host of the settings. */
export interface CheckHostTask {
  task: 'checkHost';
  origin: string;
}

/** Asks the worker of the directory partition for the newest check of each host. */
export interface HostChecksTask {
  task: 'hostChecks';
}
