/** Counts requests to hosts by their outcome. */
import { ServiceError } from '../../src/foundation/errors.ts';
import { hostRequests } from '../../src/foundation/metrics.ts';

/** Waits until a request to a host has ended, and counts the outcome of the request. */
export async function counted<T>(question: Promise<T>): Promise<T> {
  try {
    const answer = await question;
    const unchanged = (answer as { notModified?: boolean }).notModified === true;
    hostRequests.inc({ outcome: unchanged ? 'unchanged' : 'read' });
    return answer;
  } catch (error) {
    const outcomes: Record<string, string> = {
      unauthorized: 'refused',
      notFound: 'missing',
      unavailable: 'unavailable',
    };
    hostRequests.inc({ outcome: (error instanceof ServiceError && outcomes[error.kind]) || 'failed' });
    throw error;
  }
}
