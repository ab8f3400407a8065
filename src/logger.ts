/**
 * The logger: JSON lines, pretty on a terminal, to standard error, so that what a command prints stays clean.
 * It never gets payloads, keys or comment bodies; secrets that slip into an object are masked.
 */
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type { Logger } from 'pino';

/**
 * Makes the logger of a process.
 * @param name role of the process: supervisor, gateway, worker
 */
export function createLogger(name: string, level: string): Logger {
  const options = {
    level,
    base: { role: name, pid: process.pid },
    redact: ['authorization', '*.authorization', '*.secret', '*.token', 'err.chainedError'],
  };
  if (process.stderr.isTTY) {
    return pino(
      options,
      pretty({ destination: 2, ignore: 'pid,hostname,name', translateTime: 'HH:MM:ss.l', sync: true }),
    );
  }
  return pino(options, pino.destination({ fd: 2, sync: true }));
}
