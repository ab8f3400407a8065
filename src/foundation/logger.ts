/**
 * The logger: JSON lines, pretty on a terminal, to standard error, so that what a command prints stays clean.
 * It never gets payloads, keys or comment bodies; secrets that slip into an object are masked. Characters that terminals act
 * on are written as escapes.
 */
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { terminalText } from './visible-text.ts';

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
      { ...options, hooks: { streamWrite: prettyLine } },
      pretty({ destination: 2, ignore: 'pid,hostname,name', translateTime: 'HH:MM:ss.l', sync: true }),
    );
  }
  return pino({ ...options, hooks: { streamWrite: plainLine } }, pino.destination({ fd: 2, sync: true }));
}

/** A line of JSON with its end, for files and journals that are read on a terminal later. */
export function plainLine(line: string): string {
  return `${terminalText(line.trimEnd())}\n`;
}

/** A line of JSON with its end, for the pretty printer, which writes out what the strings of JSON stand for. */
export function prettyLine(line: string): string {
  const shown = JSON.parse(line, (_, value) =>
    typeof value === 'string' ? value.split('\n').map(terminalText).join('\n') : value,
  );
  return `${JSON.stringify(shown)}\n`;
}
