import type { Readable, Writable } from 'node:stream'
import type { KeytarLike } from '../client/credentials/keychain.ts'

export type Env = Readonly<Record<string, string | undefined>>

export interface InputStream extends Readable {
  isTTY?: boolean
}

export interface OutputStream extends Writable {
  isTTY?: boolean
  columns?: number
}

/** Everything a command may touch of the process, handed in, so that each is tested on a terminal and on a pipe. */
export interface Io {
  stdin: InputStream
  stdout: OutputStream
  stderr: OutputStream
  env: Env
  /** Aborts at Ctrl-C. */
  signal: AbortSignal
  /** What a person is asked; the real one loads when it is first needed. */
  prompts(): Promise<Prompts>
  /** Opens a file with the program the system has for it. */
  openFile(path: string): Promise<void>
  /** Opens an address in the browser. Rejects when none could be started, be it later. */
  openBrowser(address: string): Promise<void>
  /** Resolves after so many milliseconds, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** For tests: in place of the system's keychain. */
  keytar?: KeytarLike
}

export interface Prompts {
  confirm(question: { message: string; default?: boolean }): Promise<boolean>
  input(question: { message: string }): Promise<string>
  /** What is typed is not shown. */
  password(question: { message: string }): Promise<string>
  select(question: { message: string; choices: { name: string; value: string }[]; default?: string }): Promise<string>
}

/** A person can be asked: both ends are a terminal. */
export function canAsk(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true
}

/** Columns to write in; a pipe has no width. */
export function widthOf(stream: OutputStream): number {
  const columns = stream.columns ?? 80
  return Math.max(40, Math.min(columns, 200))
}

/** NO_COLOR as https://no-color.org has it: any value but the empty one. */
export function wantsColor(stream: OutputStream, env: Env, flag: boolean): boolean {
  return flag && stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
}

/** The process itself. Ctrl-C asks the command to end; a second one no longer waits. */
export function processIo(): Io {
  const controller = new AbortController()
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    get signal() {
      listenOnce(controller)
      return controller.signal
    },
    async prompts() {
      const { confirm, input, password, select } = await import('@inquirer/prompts')
      // Questions on standard error: standard output is for results.
      const context = { output: process.stderr, signal: this.signal }
      return {
        confirm: (question) => confirm(question, context),
        input: (question) => input({ ...question, required: true }, context),
        password: (question) => password({ ...question, mask: true }, context),
        select: (question) => select(question, context),
      }
    },
    async openFile(path) {
      const { default: open } = await import('open')
      await open(path)
    },
    async openBrowser(address) {
      const { default: open } = await import('open')
      const launcher = await open(address)
      await new Promise<void>((resolve, reject) => {
        launcher.once('error', reject)
        launcher.once('exit', (code) => (code === 0 || code === null ? resolve() : reject(new Error(`it ended with ${code}`))))
      })
    },
    async wait(ms, signal) {
      const { setTimeout: sleep } = await import('node:timers/promises')
      await sleep(ms, undefined, { signal }).catch(() => {
        // Aborted: the wait is over as well.
      })
    },
  }
}

const listening = new WeakSet<AbortController>()

/** Only once a command asks for the signal: `serve` has its own way to stop. */
function listenOnce(controller: AbortController): void {
  if (listening.has(controller)) return
  listening.add(controller)
  const stop = () => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
}
