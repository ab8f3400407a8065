/**
 * Finds the requests that can have changed what they must not: those that succeeded and name it come first, and each is sent
 * again by itself.
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

const mostShown = 10;

/** The error for things that have changed, with the requests that can have changed them. */
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
    `${found.length} things are not as they were:`,
    ...found.slice(0, mostShown).map(({ thing, how }) => `  ${how}: ${thing}`),
    `the likeliest of the ${sent.length} requests since they were:`,
    ...suspects.slice(0, mostShown).map(({ request, status }) => `  ${status}: ${described(request)}`),
    again ? `this one changes something when it is sent again:\n  ${described(again)}` : 'none does it again by itself',
  ];
  return new Error(lines.join('\n'));
}

/** The first of some requests that changes something when they are sent one by one. */
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
