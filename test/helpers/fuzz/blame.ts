/**
 * Finds the request that caused a forbidden change. Every request since the last comparison is a suspect. The suspects
 * are sent again one by one, until one of them changes something. Requests that succeeded and name the changed object
 * are sent first.
 */
import { described } from './judge.ts';
import type { FuzzRequest } from './requests.ts';
import type { Sender } from './send.ts';
import { type Difference, differences, type Things } from './walls.ts';

/** A request that was sent, and the status of its reply. */
export interface Sent {
  request: FuzzRequest;
  status: number;
}

const maxShown = 10;

/** Returns an error that lists the changed things and the requests that may have changed them. */
export async function blame(
  found: readonly Difference[],
  sent: readonly Sent[],
  things: () => Promise<Things>,
  sender: Sender,
): Promise<Error> {
  const ids = found.flatMap((each) => each.ids);
  const rank = ({ request, status }: Sent): number =>
    (status < 300 ? 0 : 2) + (ids.some((id) => described(request).includes(id)) ? 0 : 1);
  const suspects = sent.toSorted((a, b) => rank(a) - rank(b));
  const again = await repeat(suspects, things, sender);
  const lines = [
    `${found.length} things have changed:`,
    ...found.slice(0, maxShown).map(({ thing, how }) => `  ${how}: ${thing}`),
    `the most likely of the ${sent.length} requests since the last comparison:`,
    ...suspects.slice(0, maxShown).map(({ request, status }) => `  ${status}: ${described(request)}`),
    again ? `this one does it again:\n  ${described(again)}` : 'no single request does it again',
  ];
  return new Error(lines.join('\n'));
}

/** Sends requests one by one. Returns the first request after which `things` returns a different result. */
async function repeat(
  sent: readonly Sent[],
  things: () => Promise<Things>,
  sender: Sender,
): Promise<FuzzRequest | undefined> {
  let before = await things();
  for (const { request } of sent) {
    await sender.send(request);
    const after = await things();
    if (differences(before, after).length > 0) return request;
    before = after;
  }
  return undefined;
}
