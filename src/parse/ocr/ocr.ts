import { fork } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { constants } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtModule } from '../../core/built-module.ts'
import { TurnQueue } from '../../core/turns.ts'
import type { OcrEnd, OcrRun } from './supervisor.ts'

const SUPERVISOR = fileURLToPath(builtModule(new URL('./supervisor.ts', import.meta.url)))

export interface OcrInput {
  owner: string
  file: string
  signal: AbortSignal
  /** Writes the PDF for the program, if the file itself is no PDF. */
  writePdf?: ((target: string) => Promise<void>) | undefined
}

export interface Ocr {
  /**
   * Runs the operator's program on a scanned PDF and calls `use` with the PDF that it wrote, which is removed afterwards. Runs one
   * program at a time, because OCR programs use all cores. Owners take turns.
   * Throws OcrFailure, the error of `use`, or the signal's reason.
   */
  run<T>(input: OcrInput, use: (output: string) => Promise<T>): Promise<T>
}

/** The program failed. The message says why. The cause is the program or its command line, not the document. */
export class OcrFailure extends Error {}

export interface OcrOptions {
  /** Program and arguments, with `{input}` and `{output}` for the two files. */
  command: readonly string[]
  /** Folder for the copies. It is created when needed, and emptied at the start in case the last daemon was killed. */
  folder: string
  limitMs: number
  /** Limit on the size of the program's output. */
  maxBytes: number
}

export async function createOcr({ command, folder, limitMs, maxBytes }: OcrOptions): Promise<Ocr> {
  await rm(folder, { recursive: true, force: true })
  const waiting = new TurnQueue<() => void>()
  let isRunning = false

  async function runNow<T>({ file, signal, writePdf }: OcrInput, use: (output: string) => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const ownFolder = await mkdtemp(join(folder, 'run-'))
    try {
      const input = join(ownFolder, 'input.pdf')
      const output = join(ownFolder, 'output.pdf')
      // A copy, because the program must not change the original.
      await (writePdf?.(input) ?? copyFile(file, input, constants.COPYFILE_FICLONE))
      const filled = command.map((part) => part.replaceAll('{input}', input).replaceAll('{output}', output))
      const limits = { limitMs, maxBytes }
      const program = basename(command[0] ?? '')
      throwIfFailed(await supervise({ command: filled, folder: ownFolder, output, ...limits }, signal), program, limits)
      await checkOutput(output, program, maxBytes)
      return await use(output)
    } finally {
      await rm(ownFolder, { recursive: true, force: true, maxRetries: 3 })
    }
  }

  return {
    async run(request, use) {
      await new Promise<void>((resolve) => {
        waiting.push(request.owner, resolve)
        if (isRunning) return
        isRunning = true
        waiting.shift()!()
      })
      try {
        return await runNow(request, use)
      } finally {
        const next = waiting.shift()
        if (next) next()
        else isRunning = false
      }
    },
  }
}

/** Runs the program under a supervisor process. Resolves when both have ended. */
function supervise(run: OcrRun, signal: AbortSignal): Promise<OcrEnd> {
  return new Promise((resolve, reject) => {
    const supervisor = fork(SUPERVISOR, [], {
      env: { PATH: process.env['PATH'] },
      execArgv: ['--max-old-space-size=64'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    let end: OcrEnd = { type: 'not_started', code: null, message: 'its supervisor process ended' }
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
    // `close` doesn't come if this side has closed the channel.
    supervisor.once('exit', () => {
      if (signal.aborted) reject(signal.reason as Error)
    })
    supervisor.send(run)
  })
}

function throwIfFailed(end: OcrEnd, program: string, { limitMs, maxBytes }: Pick<OcrRun, 'limitMs' | 'maxBytes'>): void {
  if (end.type === 'timeout') throw new OcrFailure(`${program} took more than ${limitMs / 1000} s, the limit of limits.ocr_ms`)
  if (end.type === 'too_large') throw tooLarge(program, maxBytes)
  if (end.type === 'not_started') {
    const why = end.code === 'ENOENT' ? 'it is not installed, or not on the PATH of the daemon' : end.message
    throw new OcrFailure(`${program} could not be started: ${why}`)
  }
  if (end.code === 0) return
  const lastLine = end.stderr.trim().split('\n').at(-1)?.trim().slice(0, 300)
  throw new OcrFailure(`${program} ended with ${end.signal ?? end.code}${lastLine ? `: ${lastLine}` : ''}`)
}

async function checkOutput(output: string, program: string, maxBytes: number): Promise<void> {
  const found = await stat(output).catch((cause: unknown) => {
    throw new OcrFailure(`${program} wrote no file at {output}`, { cause })
  })
  if (!found.isFile()) throw new OcrFailure(`${program} wrote something that is not a file at {output}`)
  if (found.size > maxBytes) throw tooLarge(program, maxBytes)
}

function tooLarge(program: string, maxBytes: number): OcrFailure {
  return new OcrFailure(`${program} wrote more than ${maxBytes} bytes, the limit (twice limits.file_bytes)`)
}
