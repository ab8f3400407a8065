/** Lists the operations on sessions: sign in, get the session, sign out, sign out everywhere. */
import type { Method } from '../http/server.ts';
import type { Contract } from '../protocol/resources/contract.ts';
import { sessionContracts } from '../protocol/resources/sessions.ts';

/**
 * How a client authenticates for an operation on sessions. `anyone`: the body of the request contains a key or a code.
 */
type Access = 'anyone' | 'session' | 'keyOrSession';

/** An operation on sessions. It is not a route of the API, because it needs no scope and has no test mode. */
export interface SessionOperation {
  readonly method: Method;
  readonly path: string;
  readonly operation: keyof typeof sessionContracts;
  readonly contract: Contract;
  readonly access: Access;
}

export const createSessionOperation = toOperation('POST', '/api/session', 'createSession', 'anyone');
export const getSessionOperation = toOperation('GET', '/api/session', 'getSession', 'session');
export const endSessionOperation = toOperation('DELETE', '/api/session', 'endSession', 'session');
export const endSessionsOperation = toOperation('DELETE', '/api/sessions', 'endSessions', 'keyOrSession');

/** All operations on sessions, in the order of the OpenAPI document. */
export const sessionOperations: readonly SessionOperation[] = [
  createSessionOperation,
  getSessionOperation,
  endSessionOperation,
  endSessionsOperation,
];

function toOperation(
  method: Method,
  path: string,
  operation: SessionOperation['operation'],
  access: Access,
): SessionOperation {
  return { method, path, operation, contract: sessionContracts[operation], access };
}
