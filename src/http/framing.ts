/**
 * Detects requests whose length can be ambiguous, before any handler runs. The HTTP parser accepts two Content-Length
 * headers and invalid chunk endings. Behind a proxy, an attacker could use these to hide a second request in a body. A
 * request counts as ambiguous if it has Transfer-Encoding, several Content-Length headers or an invalid Content-Length.
 * The server closes the connection of such a request without a reply, because after a reply the server would also
 * serve the hidden request.
 */

/** The header values that decide where a body ends. They are collected while the headers are read. */
export interface Framing {
  contentLengths: number;
  contentLength: number;
  ambiguous: boolean;
}

/**
 * Updates `framing` from one request header. Only Transfer-Encoding and Content-Length matter. `name` is in lower case.
 */
export function frameHeader(framing: Framing, name: string, value: string): void {
  if (name === 'transfer-encoding') framing.ambiguous = true;
  else if (name === 'content-length') {
    framing.contentLengths += 1;
    framing.contentLength = Number(value);
    if (framing.contentLengths > 1 || !/^\d{1,15}$/.test(value)) framing.ambiguous = true;
  }
}

/** Returns the state before any header was read. */
export function newFraming(): Framing {
  return { contentLengths: 0, contentLength: 0, ambiguous: false };
}
