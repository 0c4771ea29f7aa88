import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Logger } from '../../core/logger.ts'

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
