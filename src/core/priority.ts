import { constants, setPriority } from 'node:os'

/** Gives a process a lower priority than the daemon's main thread, so that requests and commits come before background work. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has already ended, or the system forbids the change. Then the work runs with normal priority.
  }
}

/** Does the same for the calling thread, only on Linux. Elsewhere the whole daemon would get the lower priority. */
export function lowerPriorityOfThread(): void {
  if (process.platform === 'linux') lowerPriority(0)
}
