import { spawn } from 'node:child_process'
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Env } from './io.ts'

const BIN = fileURLToPath(new URL('../../bin/docsearch.js', import.meta.url))
/** With less free space, a daemon may fail to write even the reason of its end. */
const MIN_FREE_BYTES = 100_000

/** Why a daemon ended. `code` is that of its error; null if it left no report. */
export interface LaunchFailure {
  code: string | null
  message: string
}

export interface Launch {
  /** Returns null while the daemon runs. */
  failure(): LaunchFailure | null
}

/** Returns the path of the log of the daemon on this folder. */
export function logOf(dataDir: string): string {
  return join(dataDir, 'daemon.log')
}

/**
 * Starts `docsearch serve` on a data folder in the background. The daemon outlives this process and has no pipe to it, so it goes on when
 * this process ends early. Its log and its error report go to `logOf` the folder.
 */
export function launchDaemon(dataDir: string, env: Env, args: readonly string[] = []): Launch {
  let log: number
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    log = openSync(logOf(dataDir), 'a', 0o600)
  } catch (error) {
    const failure = unusable(dataDir, error as NodeJS.ErrnoException)
    return { failure: () => failure }
  }
  try {
    const from = fstatSync(log).size
    let failure: LaunchFailure | null = null
    const child = spawn(process.execPath, [BIN, '--json', 'serve', '--data', dataDir, ...args], {
      detached: true,
      env,
      stdio: ['ignore', 'ignore', log],
    })
    child.once('exit', () => (failure = reportIn(dataDir, from)))
    child.once('error', ({ message }) => (failure = { code: null, message: `Could not start a process: ${message}.` }))
    child.unref()
    return { failure: () => failure }
  } finally {
    closeSync(log)
  }
}

function unusable(dataDir: string, { code, message }: NodeJS.ErrnoException): LaunchFailure {
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(dataDir)
  const why = code === 'ENOTDIR' || code === 'EEXIST' ? 'is not a folder' : `cannot be used: ${message}`
  return { code: 'data_unusable', message: `The data folder ${dataDir} ${why}.` }
}

function diskFull(dataDir: string): LaunchFailure {
  return { code: 'disk_full', message: `The disk that holds the data folder ${dataDir} is full.` }
}

/** Returns the error that the daemon reported at its end, which is a JSON line with an exit code after its log. */
function reportIn(dataDir: string, from: number): LaunchFailure {
  let lines: string[]
  try {
    const log = readFileSync(logOf(dataDir))
    // A full log begins again from the start.
    lines = log
      .subarray(from <= log.length ? from : 0)
      .toString('utf8')
      .split('\n')
  } catch (error) {
    return unusable(dataDir, error as NodeJS.ErrnoException)
  }
  for (const line of lines.toReversed()) {
    const { code, message, exit_code: exitCode } = parse(line)
    if (code === 'disk_full') return diskFull(dataDir)
    if (typeof code === 'string' && typeof message === 'string' && exitCode !== undefined) return { code, message }
  }
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize < MIN_FREE_BYTES) return diskFull(dataDir)
  return { code: null, message: lines.findLast((line) => line !== '' && !line.startsWith('{')) ?? 'It ended without a message.' }
}

function parse(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {} // Not a report: a sentence, or a line that a full disk has cut off.
  }
}
