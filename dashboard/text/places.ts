/** Finds out where the dashboard is served, so that it works behind a proxy that adds a path. */

/**
 * Returns the path of the service without a slash at the end, such as `/tidings`; an empty text at the root.
 * @param script address of the dashboard's script, which is in the folder `assets/` of the service
 */
export function basePath(script: string): string {
  return new URL(script).pathname.replace(/\/assets\/[^/]*$/, '');
}

/** Returns the one-time code of a link such as `/#k=CODE`; undefined for other addresses. */
export function codeInHash(hash: string): string | undefined {
  const code = new URLSearchParams(hash.replace(/^#/, '')).get('k');
  return code === null || code === '' ? undefined : code;
}
