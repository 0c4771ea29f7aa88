import type { Readable } from 'node:stream'
import type { KeytarLike } from '../client/credentials/keychain.ts'
import type { Browse } from './browse.ts'
import type { OutputStream } from './view/screen.ts'
import type { StartSettings } from './memory-settings.ts'

export type Env = Readonly<Record<string, string | undefined>>

export interface InputStream extends Readable {
  isTTY?: boolean
}

/** The parts of the process that a command may use. They are passed in, so that each command is tested on a terminal and on a pipe. */
export interface Io {
  stdin: InputStream
  stdout: OutputStream
  stderr: OutputStream
  env: Env
  /** Aborts at Ctrl-C. */
  signal: AbortSignal
  /** Asks the user. Loads the prompt library at the first use. */
  prompts(): Promise<Prompts>
  /** Opens a file, at a page if there is one, with the user's program for it. Rejects when that is not possible. */
  openFile(path: string, page?: number): Promise<void>
  /** Shows text with this program, until the user leaves it. Returns false when the program can't be run. */
  runPager(command: string, text: string): Promise<boolean>
  /** Opens an address in the browser. Rejects when the browser can't be started or fails. */
  openBrowser(address: string): Promise<void>
  /** Resolves after `ms` milliseconds, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /**
   * Starts Node again in this process, with additional settings. The process keeps its ID, its streams and its arguments. Returns only if
   * this is not possible.
   */
  restart(settings: StartSettings): void
  /** Replaces the system's keychain in tests. */
  keytar?: KeytarLike
}

export interface Prompts {
  confirm(question: { message: string; default?: boolean }): Promise<boolean>
  input(question: { message: string }): Promise<string>
  /** Doesn't show what the user types. */
  password(question: { message: string }): Promise<string>
  select(question: { message: string; choices: { name: string; value: string }[]; default?: string }): Promise<string>
  /** Searches while the user types. Returns the chosen item, or null when the user presses Esc. */
  browse<T>(question: Browse<T>): Promise<T | null>
}

/** True when the user can be asked: standard input and standard error are a terminal. */
export function canAsk(io: { stdin: { isTTY?: boolean }; stderr: { isTTY?: boolean } }): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true
}

/** Columns to use; 80 for a pipe. */
export function widthOf(stream: { columns?: number | undefined }): number {
  const columns = stream.columns ?? 80
  return Math.max(40, Math.min(columns, 200))
}

/** NO_COLOR counts with any value except the empty one (https://no-color.org). */
export function wantsColor(stream: { isTTY?: boolean }, env: Env, flag: boolean): boolean {
  return flag && stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
}

/** The real process. Ctrl-C asks the command to end; a second Ctrl-C ends it at once. */
export function processIo(): Io {
  const controller = new AbortController()
  return {
    // Most commands don't read standard input. Node loads much to open it.
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    get signal() {
      listenOnce(controller)
      return controller.signal
    },
    async prompts() {
      const { confirm, input, password, select } = await import('@inquirer/prompts')
      // Questions go to standard error, because standard output is for results.
      const context = { output: process.stderr, signal: this.signal }
      return {
        confirm: (question) => confirm(question, context),
        input: (question) => input({ ...question, required: true }, context),
        password: (question) => password({ ...question, mask: true }, context),
        select: (question) => select(question, context),
        async browse(question) {
          const { browse } = await import('./browse.ts')
          return browse(question, context)
        },
      }
    },
    async openFile(path, page) {
      const { openFile } = await import('./viewer.ts')
      await openFile(path, page)
    },
    async runPager(command, text) {
      const { runPager } = await import('./pager.ts')
      return runPager(command, text, process.env)
    },
    async openBrowser(address) {
      const { default: open } = await import('open')
      const launcher = await open(address)
      await new Promise<void>((resolve, reject) => {
        launcher.once('error', reject)
        launcher.once('exit', (code) => (code === 0 || code === null ? resolve() : reject(new Error(`exit code ${code}`))))
      })
    },
    async wait(ms, signal) {
      const { setTimeout: sleep } = await import('node:timers/promises')
      await sleep(ms, undefined, { signal }).catch(() => {
        // The signal aborted, which ends the wait too.
      })
    },
    restart: restartProcess,
  }
}

function restartProcess({ flags, env }: StartSettings): void {
  // A failed execve ends the process, so check first. Windows has no execve. With execve, a channel to a parent process would be lost.
  if (process.platform === 'win32' || process.send !== undefined) return
  if (!process.getBuiltinModule('node:fs').existsSync(process.execPath)) return
  const args = [process.argv0, ...process.execArgv, ...flags, ...process.argv.slice(1)]
  try {
    process.execve?.(process.execPath, args, { ...process.env, ...env })
  } catch {
    // Node's permission model may forbid it. The daemon works without the settings.
  }
}

const listening = new WeakSet<AbortController>()

/** Listens only when a command uses the signal, because `serve` handles signals itself. */
function listenOnce(controller: AbortController): void {
  if (listening.has(controller)) return
  listening.add(controller)
  const stop = () => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
}
