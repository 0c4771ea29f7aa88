import { type ChildProcess, spawn } from 'node:child_process'
import type { Logger } from '../../core/logger.ts'

/**
 * A process that stands still cannot see that its parent is gone, so it would stay for ever after a kill of that. This one sees
 * it: its input ends. It only wakes them, which does no harm to a process that has got the number of one of them meanwhile;
 * awake, they see for themselves that they are to end.
 */
const WAKE_WHEN_INPUT_ENDS = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -CONT $pids'

/** Makes processes stand still, and go on again: at the latest when this process is gone, however it ends. */
export interface Standstill {
  /** Where the system cannot do that, the process goes on as before. */
  begin(pid: number): void
  has(pid: number): boolean
  /** Also of one that has ended. */
  end(pid: number): void
}

export function createStandstill(log: Logger): Standstill {
  const still = new Set<number>()
  let guard: ChildProcess | null = null

  /** One while there is somebody to wake. */
  function startGuard(): ChildProcess | null {
    // Of a session of its own, or what ends this process with all of its group would end it too.
    const child = spawn('/bin/sh', ['-c', WAKE_WHEN_INPUT_ENDS], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env: {} })
    const gone = (reason: unknown): void => {
      if (guard !== child) return
      guard = null
      log.warn({ err: reason }, 'what would wake documents set aside is gone; they go on at once')
      for (const pid of still) signal(pid, 'SIGCONT')
      still.clear()
    }
    child.on('error', gone)
    child.stdin?.on('error', gone)
    child.once('exit', (code, by) => gone(new Error(`ended with ${by ?? code}`)))
    child.unref()
    ;(child.stdin as { unref?(): void } | null)?.unref?.()
    return child.pid === undefined ? null : child
  }

  function tell(): void {
    guard?.stdin?.write(`${[...still].join(' ')}\n`)
  }

  return {
    begin(pid) {
      if (process.platform === 'win32') return
      guard ??= startGuard()
      if (guard === null) return
      still.add(pid)
      tell()
      signal(pid, 'SIGSTOP')
    },
    has: (pid) => still.has(pid),
    end(pid) {
      if (!still.delete(pid)) return
      signal(pid, 'SIGCONT')
      tell()
      if (still.size > 0) return
      const last = guard
      guard = null
      last?.stdin?.end()
    },
  }
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It ended just now, which its exit tells.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
