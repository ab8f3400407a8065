/** Parses the mails that tests receive: headers, and the decoded text and HTML parts. */

export interface Mail {
  /** Header values by lower-case name. Folded lines are joined and encoded words are decoded. */
  headers: Record<string, string>;
  text: string;
  html: string;
}

export function parseMail(raw: string): Mail {
  const { headers, body } = split(raw);
  const parts = partsOf(headers, body);
  const of = (type: string): string =>
    parts.find(({ headers: own }) => own['content-type']?.startsWith(type))?.body ?? '';
  return { headers, text: of('text/plain'), html: of('text/html') };
}

function split(raw: string): { headers: Record<string, string>; body: string } {
  const at = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, at)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const pairs = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    words(line.slice(line.indexOf(':') + 1).trim()),
  ]);
  return { headers: Object.fromEntries(pairs), body: raw.slice(at + 4) };
}

function partsOf(headers: Record<string, string>, body: string): { headers: Record<string, string>; body: string }[] {
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return [{ headers, body: decoded(headers['content-transfer-encoding'], body) }];
  const pieces = body.split(`--${boundary}`).slice(1, -1);
  return pieces.flatMap((piece) => {
    const part = split(piece.replace(/^\r\n/, '').replace(/\r\n$/, ''));
    return partsOf(part.headers, part.body);
  });
}

function decoded(encoding: string | undefined, body: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString();
  return quotedPrintable(body.replace(/=\r\n/g, ''));
}

function quotedPrintable(text: string): string {
  return Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();
}

function words(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(text, 'base64').toString() : quotedPrintable(text.replaceAll('_', ' ')),
    );
}
