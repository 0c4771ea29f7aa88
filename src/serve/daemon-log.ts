import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { DaemonLogConfig } from '../config/config.ts'
import type { LogOutput } from './logging.ts'

const STDERR = 2
const O_APPEND = 0o2000
const CHUNK_BYTES = 1 << 20
/** After a failure, the next attempt waits, because each copies the file. */
const RETRY_MS = 60_000

/**
 * Returns an output that writes to `daemon.log` of the data folder and keeps it below a size. Null if standard error is not that file: then
 * the program that reads standard error decides how long it keeps the log.
 */
export function daemonLog(dataDir: string, config: DaemonLogConfig): LogOutput | null {
  const file = join(dataDir, 'daemon.log')
  return isStandardError(file) ? new DaemonLog(file, config) : null
}

function isStandardError(file: string): boolean {
  try {
    const [opened, named] = [fstatSync(STDERR), statSync(file)]
    return opened.isFile() && opened.ino === named.ino && opened.dev === named.dev && isAppending()
  } catch {
    return false
  }
}

/** Without O_APPEND, the system would fill a truncated file with zeros up to the old position. Only Linux tells. */
function isAppending(): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${STDERR}`, 'utf8'))?.[1]
    return flags === undefined || (Number.parseInt(flags, 8) & O_APPEND) !== 0
  } catch {
    return true
  }
}

/**
 * Copies a full file to `daemon.log.1` and truncates it. It can't rename the file, because Node can't open another file as standard error: what
 * Node itself or native code writes there, such as the reason of a crash, must end up in `daemon.log` as well.
 */
class DaemonLog implements LogOutput {
  readonly #file: string
  readonly #config: DaemonLogConfig
  /** Lines that could not be written since the last one that could. */
  #lost = 0
  #retryAt = Number.NEGATIVE_INFINITY

  constructor(file: string, config: DaemonLogConfig) {
    this.#file = file
    this.#config = config
  }

  write(line: string): void {
    // Other code writes to standard error as well.
    const { size } = fstatSync(STDERR)
    if (size > 0 && size + Buffer.byteLength(line) > this.#config.maxBytes) this.#rotate()
    if (this.#lost > 0 && !append(noticeAbout(this.#lost, line))) this.#lost++
    else if (append(line)) this.#lost = 0
    else this.#lost++
  }

  #rotate(): void {
    if (performance.now() < this.#retryAt) return
    try {
      if (!isStandardError(this.#file)) throw new Error('the file was moved')
      if (this.#config.files > 0) this.#keep()
      ftruncateSync(STDERR, 0)
    } catch {
      // Until the next attempt, the file grows.
      this.#retryAt = performance.now() + RETRY_MS
    }
  }

  /** Copies the file to `daemon.log.1`, and moves the earlier copies on. */
  #keep(): void {
    const oldest = this.#nameOf(this.#config.files)
    const copy = `${this.#file}.new`
    try {
      copyAll(this.#file, copy)
    } catch {
      // On a full disk, the oldest copy has to make room.
      rmSync(oldest, { force: true })
      copyAll(this.#file, copy)
    }
    for (let number = this.#config.files - 1; number >= 1; number--) renameIfThere(this.#nameOf(number), this.#nameOf(number + 1))
    renameSync(copy, this.#nameOf(1))
  }

  #nameOf(number: number): string {
    return `${this.#file}.${number}`
  }
}

/** Returns false if the line could not be written. The daemon must go on without its log, for example on a full disk. */
function append(line: string): boolean {
  const bytes = Buffer.from(line)
  const { size } = fstatSync(STDERR)
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(STDERR, bytes, written)
    return true
  } catch {
    // The next line must not continue an incomplete one.
    if (written > 0) ftruncateSync(STDERR, size)
    return false
  }
}

/** Copies until nothing is left to copy, because a thread or native code may write meanwhile. */
function copyAll(source: string, target: string): void {
  try {
    copyFileSync(source, target, constants.COPYFILE_FICLONE)
    chmodSync(target, 0o600)
    const [from, to] = [openSync(source, 'r'), openSync(target, 'a')]
    try {
      const chunk = Buffer.alloc(CHUNK_BYTES)
      for (let at = fstatSync(to).size; ;) {
        const read = readSync(from, chunk, 0, chunk.length, at)
        if (read === 0) return
        for (let done = 0; done < read;) done += writeSync(to, chunk, done, read - done)
        at += read
      }
    } finally {
      closeSync(from)
      closeSync(to)
    }
  } catch (error) {
    rmSync(target, { force: true })
    throw error
  }
}

function noticeAbout(lines: number, nextLine: string): string {
  const { time } = JSON.parse(nextLine) as { time?: string }
  const msg = 'log lines are missing here, because they could not be written'
  return `${JSON.stringify({ level: 'warn', time, lines, msg })}\n`
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
