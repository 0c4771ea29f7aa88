import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import type { OcrEnd, OcrRun } from './protocol.ts'

const STDERR_BYTES = 2_000
const STDERR_MS = 1_000

/**
 * Runs one program of the operator's and answers how it ended. The program and all it starts end with it: at the time limit,
 * and when the channel closes, because the daemon gave it up or is gone; then it clears up after itself too.
 */
process.once('message', (message) => {
  const { command, folder, limitMs } = message as OcrRun
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
    killAll(child)
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    process.exit(0)
  }
  const finish = (end: OcrEnd): void => {
    clearTimeout(limit)
    killAll(child)
    process.off('disconnect', givenUp)
    if (process.connected) process.send?.(end, () => process.disconnect())
  }
  const limit = setTimeout(() => finish({ type: 'timeout' }), limitMs)
  child.stderr.on('data', (data: Buffer) => {
    stderr = (stderr + data.toString('utf8')).slice(-STDERR_BYTES)
  })
  child.once('error', (error) => finish({ type: 'not_started', message: error.message }))
  child.once('exit', (code, signal) => {
    killAll(child)
    const done = (): void => finish({ type: 'exit', code, signal, stderr })
    // What it said last is read, unless somebody who left its group holds on to the other end.
    const late = setTimeout(done, STDERR_MS)
    child.once('close', () => {
      clearTimeout(late)
      done()
    })
  })
  process.once('disconnect', givenUp)
})

function killAll(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch (error) {
    // Nobody is left of them.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
