import { type DestinationStream, pino } from 'pino'
import type { Logger } from '../core/logger.ts'

export interface LogOutput {
  write(line: string): unknown
  isTTY?: boolean | undefined
}

/** Logs JSON lines, or short lines on a terminal. Hides fields that are named like a credential, as a last line of defence. */
export function createLogger(level: string, output: LogOutput): Logger {
  const destination: DestinationStream = output.isTTY
    ? { write: (line) => void output.write(readable(line)) }
    : { write: (line) => void output.write(line) }
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          'authorization',
          'token',
          'key',
          'password',
          'secret',
          '*.authorization',
          '*.token',
          '*.key',
          '*.password',
          '*.secret',
        ],
        censor: '[hidden]',
      },
    },
    destination,
  )
}

function readable(line: string): string {
  const {
    time,
    level,
    msg = '',
    ...rest
  } = JSON.parse(line) as { time: string; level: string; msg?: string } & Record<string, unknown>
  const facts = Object.entries(rest)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
  const mark = level === 'info' ? '' : `${level} `
  // Log lines can contain names from outside, and no escape sequence may reach the terminal.
  // eslint-disable-next-line no-control-regex
  return `${time.slice(11, 19)} ${mark}${msg} ${facts}`.replace(/[\u0000-\u001f\u007f-\u009f]/g, '·').trimEnd() + '\n'
}
