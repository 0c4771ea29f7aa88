import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../../core/logger.ts'
import type { Answer, Job } from '../worker/protocol.ts'
import type { Standstill } from './standstill.ts'

/** The built program runs the built worker, a checkout the source: Node strips the types. */
const MAIN = fileURLToPath(new URL(`../worker/main${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url))
const HEAP_MB = 768
const STDERR_BYTES = 4_000
/** Of the kernel's clock in /proc, on every platform that Node runs on. */
const MS_PER_TICK = 10

/** How a parser process ended. */
export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** The end of what it wrote to standard error. */
  stderr: string
  /** Set when it could not be started. */
  error?: Error
}

/** What a process has taken so far. */
export interface Usage {
  /** Milliseconds of the processor; null where the system does not tell. */
  processorMs: number | null
  /** It computes, or would if others let it; it waits for nothing else. */
  runnable: boolean
  /** It was made to stand still, and neither computes nor waits. */
  paused: boolean
  /** Resident memory in bytes: from the kernel where it tells, else as of the last answer. */
  rss: number
}

/** A parser process and its channel. Never throws: what goes wrong arrives as its exit. */
export class ParserChild {
  readonly exited: Promise<Exit>
  jobs = 0
  /** Those of them that were documents to read, with which it becomes faster. */
  parsed = 0
  /** Resident memory as it last told itself; for systems without /proc. */
  private reportedRss = 0
  private readonly process: ChildProcess | null
  private listener: ((answer: Answer) => void) | null = null
  private stderr = ''
  private readonly standstill: Standstill
  private isRunning = false

  constructor(log: Logger, standstill: Standstill) {
    this.standstill = standstill
    let child: ChildProcess
    try {
      child = fork(MAIN, [], {
        // It may read and have a second thread; it may not write, start processes or load native code.
        execArgv: [
          `--max-old-space-size=${HEAP_MB}`,
          '--permission',
          '--allow-fs-read=*',
          '--allow-worker',
          '--disable-warning=SecurityWarning',
          '--disable-warning=ExperimentalWarning',
        ],
        // Nothing of the daemon's environment: it may hold keys.
        env: process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {},
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        serialization: 'json',
      })
    } catch (error) {
      this.process = null
      this.exited = Promise.resolve({ code: null, signal: null, stderr: '', error: error as Error })
      return
    }
    this.process = child
    this.isRunning = child.pid !== undefined
    child.on('message', (message) => {
      const answer = message as Answer
      this.reportedRss = answer.rss
      this.listener?.(answer)
    })
    child.stderr?.on('data', (data: Buffer) => {
      this.stderr = (this.stderr + data.toString('utf8')).slice(-STDERR_BYTES)
    })
    this.exited = new Promise((resolve) => {
      child.once('error', (error) => {
        if (child.pid === undefined) resolve({ code: null, signal: null, stderr: this.stderr, error })
        else log.warn({ err: error, pid: child.pid }, 'parser process: channel failed')
      })
      // `close` follows `exit` once standard error is read to its end.
      child.once('close', (code, signal) => resolve({ code, signal, stderr: this.stderr }))
      child.once('exit', () => {
        this.isRunning = false
        this.goOn()
      })
    })
    this.rest()
  }

  get pid(): number | undefined {
    return this.process?.pid
  }

  /** Sends a job; its answers go to the listener until the next job. */
  send(job: Job, listener: (answer: Answer) => void): void {
    this.jobs++
    if (job.task === 'parse') this.parsed++
    this.listener = listener
    this.process?.ref()
    this.process?.channel?.ref()
    // A channel that is closed already means that the exit is on its way.
    if (this.process?.connected) this.process.send(job, () => {})
  }

  /** Between jobs it does not keep the daemon from ending. */
  rest(): void {
    this.listener = null
    this.process?.unref()
    this.process?.channel?.unref()
    this.stderrSocket?.unref()
  }

  /** It stands still until `goOn` or its end, where the system can do that. */
  pause(): void {
    if (this.isRunning) this.standstill.begin(this.pid!)
  }

  goOn(): void {
    if (this.pid !== undefined) this.standstill.end(this.pid)
  }

  usage(): Usage {
    const paused = this.pid !== undefined && this.standstill.has(this.pid)
    const untold = { processorMs: null, runnable: false, paused, rss: this.reportedRss }
    if (process.platform !== 'linux' || this.pid === undefined) return untold
    try {
      // Not through the thread pool: nothing here waits for a disk, and it is looked at often.
      const fields = statFields(`/proc/${this.pid}/stat`)
      const status = readFileSync(`/proc/${this.pid}/status`, 'utf8')
      return {
        processorMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK,
        // What inflates or collects garbage is another thread, for which the first one waits.
        runnable: fields[0] === 'R' || this.threads().some((id) => statFields(`/proc/${this.pid}/task/${id}/stat`)[0] === 'R'),
        paused,
        rss: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024,
      }
    } catch {
      // It ended just now; its exit says how.
      return untold
    }
  }

  /** Node's types know a stream; of a pipe it is a socket. */
  private get stderrSocket(): Socket | null | undefined {
    return this.process?.stderr as Socket | null | undefined
  }

  private threads(): string[] {
    return readdirSync(`/proc/${this.pid}/task`)
  }

  kill(): void {
    this.listener = null
    // Whoever waits for its end keeps the daemon up until then. Of several that end together the exit of one may be seen before
    // the end of its standard error, and `exited` comes after both.
    this.process?.ref()
    this.stderrSocket?.ref()
    this.process?.kill('SIGKILL')
  }
}

/** The fields of a `stat` from the state on: the name before it may hold anything. */
function statFields(path: string): string[] {
  const stat = readFileSync(path, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
