import type { Logger } from '../../core/logger.ts'
import type { Job } from '../worker/protocol.ts'
import { ParserProcess, Pauser } from './parser-process.ts'

/**
 * A process ends after this many jobs, so that what a hostile document left in it doesn't stay for long. A much smaller number would
 * cost time, because a new process runs code that isn't compiled yet: with 100 jobs, small PDFs take twice the processor time.
 */
const MAX_JOBS_PER_PROCESS = 1_000
/** An idle process is worth its memory for this long. */
const MAX_IDLE_MS = 10 * 60_000

interface ParserProcessesOptions {
  maxIdle: number
  /** Below this number of processes, the pool keeps one idle for the next document. */
  maxAll: number
  /** A process ends if it has more resident memory than this after a job, for example because of a leak. */
  maxRestingBytes: number
  log: Logger
}

/** The parser processes of a pool: those with a job, and the idle ones that wait for the next. */
export class ParserProcesses {
  private readonly all = new Set<ParserProcess>()
  /** Sorted by the number of documents that each process has read. */
  private readonly idle: { process: ParserProcess; timer: NodeJS.Timeout }[] = []
  private readonly pauser: Pauser
  private readonly maxIdle: number
  private readonly maxAll: number
  private readonly maxRestingBytes: number
  private readonly log: Logger
  private state: 'open' | 'closed' = 'open'

  constructor({ maxIdle, maxAll, maxRestingBytes, log }: ParserProcessesOptions) {
    this.maxIdle = maxIdle
    this.maxAll = maxAll
    this.maxRestingBytes = maxRestingBytes
    this.log = log
    this.pauser = new Pauser(log)
  }

  get count(): { all: number; idle: number } {
    return { all: this.all.size, idle: this.idle.length }
  }

  /** Starts an idle process, because a start takes half a second of a core. */
  warmUp(): void {
    this.putBack(this.start())
  }

  /**
   * Takes an idle process, or starts one. The check of an upload gets the process that has read least; every other job gets the one
   * that has read most, which is the fastest.
   */
  take(task: Job['task']): ParserProcess {
    const entry = task === 'preflight' ? this.idle.shift() : this.idle.pop()
    clearTimeout(entry?.timer)
    const process = entry?.process ?? this.start()
    // The next document may belong to another user, who must not wait for a process to start.
    if (this.idle.length === 0 && this.all.size < this.maxAll) this.warmUp()
    return process
  }

  /** Keeps a process for the next job, unless it is worn out or one too many. */
  putBack(process: ParserProcess): void {
    if (this.state === 'closed' || this.isWornOut(process) || !this.all.has(process)) {
      this.discard(process)
      return
    }
    process.rest()
    const timer = setTimeout(() => this.discard(process), MAX_IDLE_MS).unref()
    const place = this.idle.findIndex((entry) => entry.process.documentsRead > process.documentsRead)
    this.idle.splice(place < 0 ? this.idle.length : place, 0, { process, timer })
    const [least] = this.idle
    if (this.idle.length > this.maxIdle && least !== undefined) this.discard(least.process)
  }

  private isWornOut(process: ParserProcess): boolean {
    return process.jobs >= MAX_JOBS_PER_PROCESS || process.usage().rss > this.maxRestingBytes
  }

  discard(process: ParserProcess): void {
    this.forget(process)
    process.kill()
  }

  /** Ends all processes, with or without a job. Resolves when they have ended. */
  async close(): Promise<void> {
    this.state = 'closed'
    const processes = [...this.all]
    for (const process of processes) this.discard(process)
    await Promise.all(processes.map((process) => process.exited))
    await this.pauser.close()
  }

  private start(): ParserProcess {
    const process = new ParserProcess(this.log, this.pauser)
    this.all.add(process)
    void process.exited.then((exit) => {
      this.forget(process)
      if (exit.error !== undefined) this.log.error({ err: exit.error }, 'a parser process could not be started')
    })
    return process
  }

  private forget(process: ParserProcess): void {
    this.all.delete(process)
    const place = this.idle.findIndex((entry) => entry.process === process)
    if (place >= 0) clearTimeout(this.idle.splice(place, 1)[0]?.timer)
  }
}
