import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { main } from '../../src/cli/main.ts'
import type { KeytarLike } from '../../src/client/credentials/keychain.ts'
import type { InputStream, Io, Prompts } from '../../src/cli/io.ts'
import type { OutputStream } from '../../src/cli/view/screen.ts'

export interface CliRun {
  code: number
  stdout: string
  stderr: string
  /** Files and addresses that the command asked the system to open. A page after the first follows a file as `#page=N`. */
  opened: string[]
  /** What went to the pager: its command and the text. */
  paged: { command: string; text: string }[]
}

export interface CliOptions {
  env?: Record<string, string>
  /** Makes all three streams a terminal of this many columns. */
  terminal?: number | undefined
  stdin?: string
  prompts?: Partial<Prompts>
  signal?: AbortSignal
  /** The height of that terminal, in lines. Default: unknown, so nothing goes to a pager. */
  rows?: number
  /** What opening a file does. Default: nothing. */
  openFile?: (path: string, page: number) => Promise<void>
  /** What the browser does with the address it opens. Default: nothing. */
  browser?: (address: string) => Promise<unknown>
  /** Replaces real waiting, which these tests never do. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
  /** Gets what is written to standard error, as it comes. */
  onStderr?: (text: string) => void
  /** The keychain. Default: none. */
  keytar?: KeytarLike
}

/** Returns a folder that is removed after the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'docsearch-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs the command line in this process, with buffers as its streams and nothing from this machine's user. */
export async function runCommand(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const stdout = output(options.terminal, options.rows)
  const stderr = output(options.terminal)
  if (options.onStderr !== undefined) stderr.stream.on('data', (part: Buffer) => options.onStderr!(part.toString('utf8')))
  const stdin: InputStream = Readable.from(options.stdin === undefined ? [] : [options.stdin])
  if (options.terminal !== undefined) stdin.isTTY = true
  const opened: string[] = []
  const paged: CliRun['paged'] = []
  const io: Io = {
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: {
      XDG_CONFIG_HOME: options.env?.['XDG_CONFIG_HOME'] ?? testFolder(),
      XDG_CACHE_HOME: options.env?.['XDG_CACHE_HOME'] ?? testFolder(),
      ...options.env,
    },
    signal: options.signal ?? new AbortController().signal,
    prompts: async () => ({
      confirm: unasked,
      input: unasked,
      password: unasked,
      select: unasked,
      browse: unasked,
      ...options.prompts,
    }),
    // Tests must not use the keychain of the user who runs them.
    keytar: options.keytar ?? { getPassword: noKeychain, setPassword: noKeychain, deletePassword: noKeychain },
    async openFile(path, page = 1) {
      await options.openFile?.(path, page)
      opened.push(page === 1 ? path : `${path}#page=${page}`)
    },
    async runPager(command, text) {
      paged.push({ command, text })
      return true
    },
    async openBrowser(address) {
      opened.push(address)
      await options.browser?.(address)
    },
    wait: options.wait ?? untilAborted,
    restart() {
      throw new Error('a test must not replace its process')
    },
  }
  const code = await main(args, io)
  return { code, stdout: stdout.text(), stderr: stderr.text(), opened, paged }
}

/** A time limit that is never reached. */
function untilAborted(_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function noKeychain(): Promise<never> {
  return Promise.reject(new Error('no keychain here'))
}

function unasked(): Promise<never> {
  throw new Error('a question that this test does not expect')
}

function output(columns: number | undefined, rows?: number): { stream: OutputStream; text: () => string } {
  const stream: OutputStream = new PassThrough()
  let text = ''
  stream.on('data', (part: Buffer) => (text += part.toString('utf8')))
  if (columns !== undefined) Object.assign(stream, { isTTY: true, columns, rows })
  return { stream, text: () => text }
}
