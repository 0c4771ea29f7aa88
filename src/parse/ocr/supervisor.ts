import { spawn, type ChildProcess } from 'node:child_process'
import { rmSync, statSync, readdirSync, readFileSync } from 'node:fs'

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
    // Pass on only PATH from the daemon's environment, because other variables may hold keys.
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A separate process group, so that everything in it can be ended together.
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

/** A program can start others faster than this finds them. */
const MAX_ROUNDS = 20

/**
 * Ends a program that leads a process group, and everything that it started. Where there is a /proc, it also finds processes that
 * left the group (`setsid`): their environment still names the program's temporary folder.
 * @param folder The program's `TMPDIR`, which no other program has.
 */
function killProgram(child: ChildProcess, folder: string): void {
  if (child.pid === undefined) return
  kill(process.platform === 'win32' ? child.pid : -child.pid)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const left = startedIn(folder)
    if (left.length === 0) return
    for (const pid of left) kill(pid)
  }
}

function startedIn(folder: string): number[] {
  return processes().filter((pid) => pid !== process.pid && environmentOf(pid).includes(`TMPDIR=${folder}`))
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    // Only Linux has this folder.
    return []
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    // The process has just ended, or belongs to another user.
    return []
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // No process of them is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The one job of a supervisor process. */
export interface OcrRun {
  /** Program and arguments. No shell interprets them. */
  command: readonly string[]
  /** The program's working, home and temporary folder, removed afterwards. */
  folder: string
  /** The file that the program must write. */
  output: string
  limitMs: number
  /** Limit on the size of that file. */
  maxBytes: number
}

/** How the program ended. `stderr` is the end of its standard error. */
export type OcrEnd =
  | { type: 'exit'; code: number | null; signal: string | null; stderr: string }
  | { type: 'timeout' }
  | { type: 'too_large' }
  | { type: 'not_started'; code: string | null; message: string }
