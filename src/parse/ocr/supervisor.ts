import { spawn } from 'node:child_process'
import { rmSync, statSync } from 'node:fs'
import { killProgram } from './kill-program.ts'
import type { OcrEnd, OcrRun } from './protocol.ts'

const MAX_STDERR_CHARS = 2_000
const MAX_STDERR_WAIT_MS = 1_000
const SIZE_CHECK_INTERVAL_MS = 200

/**
 * The supervisor process: runs the operator's program once and reports how it ended. It ends the program and everything that the
 * program started at the limits of time and output, and when the channel closes because the daemon aborted the job or died. In
 * that last case it also removes the folder.
 */
process.once('message', (message) => {
  const { command, folder, output, limitMs, maxBytes } = message as OcrRun
  let stderr = ''
  const child = spawn(command[0]!, command.slice(1), {
    cwd: folder,
    // Of the daemon's environment only the PATH, because the rest may hold keys.
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A process group of its own, so that everything in it can be ended together.
    detached: true,
  })
  const abandon = (): void => {
    killProgram(child, folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    process.exit(0)
  }
  const finish = (end: OcrEnd): void => {
    clearTimeout(limit)
    clearInterval(size)
    killProgram(child, folder)
    process.off('disconnect', abandon)
    // An explicit exit, because a process that the program left behind can keep its standard error open.
    if (process.connected) process.send?.(end, () => process.exit(0))
    else process.exit(0)
  }
  const limit = setTimeout(() => finish({ type: 'timeout' }), limitMs)
  const size = setInterval(() => {
    const found = statSync(output, { throwIfNoEntry: false })
    if (found !== undefined && found.size > maxBytes) finish({ type: 'too_large' })
  }, SIZE_CHECK_INTERVAL_MS)
  child.stderr.on('data', (data: Buffer) => {
    stderr = (stderr + data.toString('utf8')).slice(-MAX_STDERR_CHARS)
  })
  child.once('error', ({ message, code }: NodeJS.ErrnoException) => finish({ type: 'not_started', code: code ?? null, message }))
  child.once('exit', (code, signal) => {
    killProgram(child, folder)
    const done = (): void => finish({ type: 'exit', code, signal, stderr })
    // Waits for the end of standard error, but not forever.
    const late = setTimeout(done, MAX_STDERR_WAIT_MS)
    child.once('close', () => {
      clearTimeout(late)
      done()
    })
  })
  process.once('disconnect', abandon)
})
