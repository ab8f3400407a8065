/**
 * Creates the logger, which writes JSON lines, or readable lines on a terminal. The logger writes to standard error, so
 * that the output of a command contains no log lines. Callers must not log payloads, keys or comment bodies. If a
 * logged object contains a secret in a known field, the secret is masked. Characters that control a terminal are
 * escaped.
 */
import { type Logger, pino } from 'pino';
import { terminalText } from './visible-text.ts';

export type { Logger } from 'pino';

// Loading it takes as long as loading pino, so it is loaded for a terminal only.
const pretty = process.stderr.isTTY ? (await import('pino-pretty')).default : undefined;

/**
 * Creates the logger of a process.
 * @param name role of the process, such as supervisor, gateway or worker
 */
export function createLogger(name: string, level: string): Logger {
  const options = {
    level,
    base: { role: name, pid: process.pid },
    redact: ['authorization', '*.authorization', '*.secret', '*.token', 'err.chainedError'],
  };
  if (pretty) {
    return pino(
      { ...options, hooks: { streamWrite: prettyLine } },
      pretty({ destination: 2, ignore: 'pid,hostname,name', translateTime: 'HH:MM:ss.l', sync: true }),
    );
  }
  return pino({ ...options, hooks: { streamWrite: plainLine } }, pino.destination({ fd: 2, sync: true }));
}

/**
 * Escapes invisible and control characters in a JSON line, and adds a line break. Such lines are stored in files, and
 * the files are later read on a terminal.
 */
export function plainLine(line: string): string {
  return `${terminalText(line.trimEnd())}\n`;
}

/**
 * Escapes the strings inside a JSON line and adds a line break. The pretty printer decodes the JSON, so the decoded
 * strings must be escaped.
 */
export function prettyLine(line: string): string {
  const shown = JSON.parse(line, (_, value) =>
    typeof value === 'string' ? value.split('\n').map(terminalText).join('\n') : value,
  );
  return `${JSON.stringify(shown)}\n`;
}
