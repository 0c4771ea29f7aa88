import { constants, setPriority } from 'node:os'

/** Gives a process a lower priority than the daemon's main thread has, so that requests and commits come before work in the background. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has ended already, or the system forbids it. The work is done with the usual priority, too.
  }
}

/** Does the same for the calling thread. Only Linux can: elsewhere the whole daemon would get the lower priority. */
export function lowerPriorityOfThread(): void {
  if (process.platform === 'linux') lowerPriority(0)
}
