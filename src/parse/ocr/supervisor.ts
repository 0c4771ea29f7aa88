import { spawn } from 'node:child_process'
import { rmSync, statSync } from 'node:fs'
import { killProgram } from './kill-program.ts'
import type { OcrEnd, OcrRun } from './protocol.ts'

const STDERR_BYTES = 2_000
const STDERR_MS = 1_000
const SIZE_EVERY_MS = 200

/**
 * Runs one program of the operator's and answers how it ended. The program and all it starts end with it: at the limits of
 * time and of what it writes, and when the channel closes, because the daemon gave it up or is gone; then it clears up after
 * itself too.
 */
process.once('message', (message) => {
  const { command, folder, output, limitMs, maxBytes } = message as OcrRun
  let stderr = ''
  const child = spawn(command[0]!, command.slice(1), {
    cwd: folder,
    // Nothing of the daemon's environment but where programs are: it may hold keys.
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own, so that what it starts can be ended with it.
    detached: true,
  })
  const givenUp = (): void => {
    killProgram(child, folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    process.exit(0)
  }
  const finish = (end: OcrEnd): void => {
    clearTimeout(limit)
    clearInterval(size)
    killProgram(child, folder)
    process.off('disconnect', givenUp)
    // Not left to the loop running empty: somebody may hold on to the other end of the program's stderr.
    if (process.connected) process.send?.(end, () => process.exit(0))
    else process.exit(0)
  }
  const limit = setTimeout(() => finish({ type: 'timeout' }), limitMs)
  const size = setInterval(() => {
    const found = statSync(output, { throwIfNoEntry: false })
    if (found !== undefined && found.size > maxBytes) finish({ type: 'too_large' })
  }, SIZE_EVERY_MS)
  child.stderr.on('data', (data: Buffer) => {
    stderr = (stderr + data.toString('utf8')).slice(-STDERR_BYTES)
  })
  child.once('error', ({ message, code }: NodeJS.ErrnoException) => finish({ type: 'not_started', code: code ?? null, message }))
  child.once('exit', (code, signal) => {
    killProgram(child, folder)
    const done = (): void => finish({ type: 'exit', code, signal, stderr })
    // What it said last is read, but not waited for without end.
    const late = setTimeout(done, STDERR_MS)
    child.once('close', () => {
      clearTimeout(late)
      done()
    })
  })
  process.once('disconnect', givenUp)
})
