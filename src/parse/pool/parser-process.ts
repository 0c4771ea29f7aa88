import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { builtModule } from '../../core/built-module.ts'
import type { Logger } from '../../core/logger.ts'
import { lowerPriority } from '../../core/priority.ts'
import type { Answer, Job } from '../worker/protocol.ts'

const MAIN = fileURLToPath(builtModule(new URL('../worker/main.ts', import.meta.url)))
const HEAP_MB = 768
const MAX_STDERR_CHARS = 4_000
/** The unit of the processor times in /proc, the same on every platform that Node runs on. */
const MS_PER_TICK = 10

/** How a parser process ended. */
export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** The last characters that the process wrote to standard error. */
  stderr: string
  /** Set if the process couldn't be started. */
  error?: Error
}

/** What a process has used so far, and what it does now. */
export interface Usage {
  /** Processor time in milliseconds; null where the system doesn't tell. */
  processorMs: number | null
  /** The process computes, or would if it got a processor. False if it waits for anything else. */
  isComputing: boolean
  /** The daemon has paused the process. */
  isPaused: boolean
  /** Resident memory in bytes: from the kernel where it tells, otherwise as of the last answer. */
  rss: number
}

/** A parser process and the channel to it. Never throws: every failure arrives through `exited`. */
export class ParserProcess {
  readonly exited: Promise<Exit>
  /** All jobs so far. */
  jobs = 0
  /** The jobs that read a document. Each one makes the process faster at reading. */
  documentsRead = 0
  /** Resident memory that the process reported last, for systems without /proc. */
  private reportedRss = 0
  private readonly child: ChildProcess | null
  private listener: ((answer: Answer) => void) | null = null
  private stderr = ''
  private readonly pauser: Pauser
  private isRunning = false

  constructor(log: Logger, pauser: Pauser) {
    this.pauser = pauser
    try {
      this.child = forkWorker()
    } catch (error) {
      this.child = null
      this.exited = Promise.resolve({ code: null, signal: null, stderr: '', error: error as Error })
      return
    }
    this.exited = this.listen(this.child, log)
    this.rest()
  }

  private listen(child: ChildProcess, log: Logger): Promise<Exit> {
    this.isRunning = child.pid !== undefined
    child.on('message', (message) => {
      const answer = message as Answer
      this.reportedRss = answer.rss
      this.listener?.(answer)
    })
    child.stderr?.on('data', (data: Buffer) => {
      this.stderr = (this.stderr + data.toString('utf8')).slice(-MAX_STDERR_CHARS)
    })
    return new Promise((resolve) => {
      child.once('error', (error) => {
        if (child.pid === undefined) resolve({ code: null, signal: null, stderr: this.stderr, error })
        else log.warn({ err: error, pid: child.pid }, 'parser process: channel failed')
      })
      // `close` follows `exit` once standard error is read to its end.
      child.once('close', (code, signal) => resolve({ code, signal, stderr: this.stderr }))
      child.once('exit', () => {
        this.isRunning = false
        this.resume()
      })
    })
  }

  get pid(): number | undefined {
    return this.child?.pid
  }

  /** Sends a job. The listener gets the answers until the next job. */
  send(job: Job, listener: (answer: Answer) => void): void {
    this.jobs++
    if (job.task === 'parse') this.documentsRead++
    this.listener = listener
    this.child?.ref()
    this.child?.channel?.ref()
    // If the channel is closed already, the exit event is on its way.
    if (this.child?.connected) this.child.send(job, () => {})
  }

  /** Between two jobs the process doesn't keep the daemon alive. */
  rest(): void {
    this.listener = null
    this.child?.unref()
    this.child?.channel?.unref()
    this.stderrSocket?.unref()
  }

  /** Pauses the process until `resume` or its end. Does nothing where the system can't. */
  pause(): void {
    if (this.isRunning) this.pauser.pause(this.pid!)
  }

  resume(): void {
    if (this.pid !== undefined) this.pauser.resume(this.pid)
  }

  usage(): Usage {
    const isPaused = this.pid !== undefined && this.pauser.isPaused(this.pid)
    const unknown = { processorMs: null, isComputing: false, isPaused, rss: this.reportedRss }
    if (process.platform !== 'linux' || this.pid === undefined) return unknown
    try {
      // Synchronously: /proc waits for no disk, and the thread pool would cost more at ten calls a second.
      const fields = statFields(`/proc/${this.pid}/stat`)
      const status = readFileSync(`/proc/${this.pid}/status`, 'utf8')
      return {
        processorMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK,
        // The first thread waits while another one inflates data or collects garbage.
        isComputing: fields[0] === 'R' || threadsOf(this.pid).some((stat) => statFields(stat)[0] === 'R'),
        isPaused,
        rss: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024,
      }
    } catch {
      // The process has just ended; its exit says how.
      return unknown
    }
  }

  /** The types know a stream. For a pipe it is a socket. */
  private get stderrSocket(): Socket | null | undefined {
    return this.child?.stderr as Socket | null | undefined
  }

  kill(): void {
    this.listener = null
    // Keeps the daemon alive until `exited` resolves. If several processes end together, Node can see the exit of one before
    // the end of its standard error, and `exited` comes after both.
    this.child?.ref()
    this.stderrSocket?.ref()
    this.child?.kill('SIGKILL')
  }
}

function forkWorker(): ChildProcess {
  const child = fork(MAIN, [], {
    // The process may read files and start threads. It may not write, start processes or load native code.
    execArgv: [
      `--max-old-space-size=${HEAP_MB}`,
      '--permission',
      '--allow-fs-read=*',
      '--allow-worker',
      '--disable-warning=SecurityWarning',
      '--disable-warning=ExperimentalWarning',
    ],
    // Nothing of the daemon's environment, which may hold keys.
    env: process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'json',
  })
  // Do this first, because the threads that the process starts inherit its priority.
  if (child.pid !== undefined) lowerPriority(child.pid)
  return child
}

function threadsOf(pid: number): string[] {
  const folder = `/proc/${pid}/task`
  return readdirSync(folder).map((id) => `${folder}/${id}/stat`)
}

/** Returns the fields of a `stat` file from the state on. The program's name before them may contain any character. */
function statFields(path: string): string[] {
  const stat = readFileSync(path, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/**
 * The guard: a shell that reads process ids from its input. A paused process can't notice that the daemon has died, and would stay
 * forever. The guard notices it, because its input ends, and wakes the processes. They then see for themselves that the daemon is
 * gone and end. If an id belongs to another process by then, the signal does no harm.
 */
const GUARD_SCRIPT = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -CONT $pids'

/**
 * Pauses processes and resumes them, at the latest when the daemon ends, for whatever reason. The guard starts with the pauser
 * and stays, because a later start would block the main thread for up to 150 ms if the daemon uses much memory.
 */
export class Pauser {
  private readonly paused = new Set<number>()
  private guard: ChildProcess | null = null
  private readonly log: Logger

  constructor(log: Logger) {
    this.log = log
    if (process.platform !== 'win32') this.guard = this.startGuard()
  }

  isPaused(pid: number): boolean {
    return this.paused.has(pid)
  }

  /** Does nothing where the system can't pause processes. */
  pause(pid: number): void {
    if (process.platform === 'win32') return
    this.guard ??= this.startGuard()
    if (this.guard === null) return
    this.paused.add(pid)
    this.tellGuard()
    signal(pid, 'SIGSTOP')
  }

  /** The process may have ended already. */
  resume(pid: number): void {
    if (!this.paused.delete(pid)) return
    signal(pid, 'SIGCONT')
    this.tellGuard()
  }

  private startGuard(): ChildProcess | null {
    // `detached` gives the guard a session of its own: a signal to the daemon's process group must not end it.
    const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env: {} })
    const onEnd = (reason: unknown): void => {
      if (this.guard !== guard) return
      this.guard = null
      this.log.warn({ err: reason }, 'the guard of paused parser processes ended; the processes resume')
      for (const pid of this.paused) signal(pid, 'SIGCONT')
      this.paused.clear()
    }
    guard.on('error', onEnd)
    guard.stdin?.on('error', onEnd)
    guard.once('exit', (code, by) => onEnd(new Error(`ended with ${by ?? code}`)))
    guard.unref()
    ;(guard.stdin as { unref?(): void } | null)?.unref?.()
    return guard.pid === undefined ? null : guard
  }

  private tellGuard(): void {
    this.guard?.stdin?.write(`${[...this.paused].join(' ')}\n`)
  }

  /** Ends the guard, and resolves when it has ended. Paused processes stay paused. */
  async close(): Promise<void> {
    const { guard } = this
    this.guard = null
    if (guard === null) return
    const ended = once(guard, 'exit')
    guard.ref()
    guard.kill()
    await ended
  }
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // The process has just ended; its exit event says so.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
