import { type DestinationStream, pino } from 'pino'
import type { Logger } from '../core/logger.ts'
import { shorten } from '../core/text-limits.ts'

export interface LogOutput {
  write(line: string): unknown
  isTTY?: boolean | undefined
}

/** Room for an error with its stack and its causes. */
const MAX_LINE_CHARS = 16_000
const MAX_FIELD_CHARS = 2_000
const MAX_ENTRIES = 20

/** Logs JSON lines, or short lines on a terminal. Hides fields that are named like a credential, as a last line of defence. */
export function createLogger(level: string, output: LogOutput): Logger {
  const destination: DestinationStream = output.isTTY
    ? { write: (line) => void output.write(readable(fitLine(line))) }
    : { write: (line) => void output.write(fitLine(line)) }
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

/** Cuts the texts of a long line: the message of an error can repeat a request, an SQL statement or the answer of another server. */
function fitLine(line: string): string {
  if (line.length <= MAX_LINE_CHARS) return line
  const cut = (value: unknown): unknown => {
    if (typeof value === 'string') return shorten(value, MAX_FIELD_CHARS)
    return Array.isArray(value) ? value.slice(0, MAX_ENTRIES) : value
  }
  const short = JSON.stringify(JSON.parse(line, (_, value: unknown) => cut(value)))
  if (short.length <= MAX_LINE_CHARS) return `${short}\n`
  const { time, level, msg, request_id } = JSON.parse(short) as Record<string, unknown>
  return `${JSON.stringify({ level, time, request_id, msg, cut: true })}\n`
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
