/**
 * Takes the code and the state of a new app out of the address to which the host returns. Neither stays in the address
 * or the history of the browser. Both are kept until they were used, so a person can sign in in between.
 */

/** The data that a host returned. */
export interface AppReturn {
  code: string;
  state: string;
}

let returned: AppReturn | undefined = takeFromAddress();

function takeFromAddress(): AppReturn | undefined {
  const query = new URLSearchParams(location.search);
  const code = query.get('code');
  const state = query.get('state');
  if (!location.pathname.endsWith('/app/github-app') || code === null || state === null) return undefined;
  history.replaceState(null, '', location.pathname);
  return { code, state };
}

/** Returns the data of the host if it was not used yet. */
export function appReturn(): AppReturn | undefined {
  return returned;
}

/** Forgets the data of the host. */
export function forgetAppReturn(): void {
  returned = undefined;
}
