import { fork } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { constants } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pLimit from 'p-limit'
import type { OcrEnd, OcrRun } from './protocol.ts'

const SUPERVISOR = fileURLToPath(new URL(`./supervisor${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url))

export interface Ocr {
  /**
   * Lets the operator's program read a scanned PDF and hands over the PDF it wrote; that one is gone when `use` is done. One
   * at a time, in order of asking: such programs take every core there is.
   * Throws OcrFailure, what `use` throws, and the signal's reason.
   */
  run<T>(file: string, signal: AbortSignal, use: (output: string) => Promise<T>): Promise<T>
}

/** The program did not do it; the message says why. A fault of the program or its command line, never of the document. */
export class OcrFailure extends Error {}

export interface OcrOptions {
  /** Program and arguments, with `{input}` and `{output}` for the two files. */
  command: readonly string[]
  /** Folder for the copies; made when needed. What a daemon that was killed left there is removed. */
  folder: string
  limitMs: number
  /** Most bytes of what the program writes. */
  maxBytes: number
}

export async function createOcr({ command, folder, limitMs, maxBytes }: OcrOptions): Promise<Ocr> {
  await rm(folder, { recursive: true, force: true })
  const oneByOne = pLimit(1)

  async function runNow<T>(file: string, signal: AbortSignal, use: (output: string) => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const own = await mkdtemp(join(folder, 'run-'))
    try {
      const input = join(own, 'input.pdf')
      const output = join(own, 'output.pdf')
      // A copy: the original is nobody's to change.
      await copyFile(file, input, constants.COPYFILE_FICLONE)
      const filled = command.map((part) => part.replaceAll('{input}', input).replaceAll('{output}', output))
      const limits = { limitMs, maxBytes }
      const program = basename(command[0] ?? '')
      explain(await supervise({ command: filled, folder: own, output, ...limits }, signal), program, limits)
      await check(output, program, maxBytes)
      return await use(output)
    } finally {
      await rm(own, { recursive: true, force: true, maxRetries: 3 })
    }
  }

  return { run: (file, signal, use) => oneByOne(() => runNow(file, signal, use)) }
}

/** Resolves when the supervisor has ended, and the program with it. */
function supervise(run: OcrRun, signal: AbortSignal): Promise<OcrEnd> {
  return new Promise((resolve, reject) => {
    const supervisor = fork(SUPERVISOR, [], {
      env: { PATH: process.env['PATH'] },
      execArgv: ['--max-old-space-size=64'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    let end: OcrEnd = { type: 'not_started', code: null, message: 'its supervisor ended' }
    const abort = (): void => supervisor.disconnect()
    signal.addEventListener('abort', abort, { once: true })
    supervisor.once('message', (message) => {
      end = message as OcrEnd
      signal.removeEventListener('abort', abort)
    })
    supervisor.once('error', reject)
    supervisor.once('close', () => {
      signal.removeEventListener('abort', abort)
      resolve(end)
    })
    // There is no `close` where this side has closed the channel.
    supervisor.once('exit', () => {
      if (signal.aborted) reject(signal.reason as Error)
    })
    supervisor.send(run)
  })
}

function explain(end: OcrEnd, program: string, { limitMs, maxBytes }: Pick<OcrRun, 'limitMs' | 'maxBytes'>): void {
  if (end.type === 'timeout') throw new OcrFailure(`${program} took more than ${limitMs / 1000} s, the limit (limits.ocr_ms)`)
  if (end.type === 'too_large') throw tooLarge(program, maxBytes)
  if (end.type === 'not_started') {
    const why = end.code === 'ENOENT' ? 'it is not installed, or not on the PATH of the daemon' : end.message
    throw new OcrFailure(`${program} could not be started: ${why}`)
  }
  if (end.code === 0) return
  const said = end.stderr.trim().split('\n').at(-1)?.trim().slice(0, 300)
  throw new OcrFailure(`${program} ended with ${end.signal ?? end.code}${said ? `: ${said}` : ''}`)
}

async function check(output: string, program: string, maxBytes: number): Promise<void> {
  const found = await stat(output).catch((cause: unknown) => {
    throw new OcrFailure(`${program} wrote no file at {output}`, { cause })
  })
  if (!found.isFile()) throw new OcrFailure(`what ${program} wrote at {output} is no file`)
  if (found.size > maxBytes) throw tooLarge(program, maxBytes)
}

function tooLarge(program: string, maxBytes: number): OcrFailure {
  return new OcrFailure(`${program} wrote more than ${maxBytes} bytes, the limit (twice limits.file_bytes)`)
}
