import { readFileSync } from 'node:fs'
import { childrenOf } from './processes.ts'

/** Milliseconds of one tick of the kernel's clock in /proc. */
const MS_PER_TICK = 10

/** Returns the processor time of a process and its children in milliseconds, including children that have ended; 0 if the system does not report it. */
export function processorTime(pid: number): number {
  if (process.platform !== 'linux') return 0
  const running = childrenOf(pid).map(timesOfChild)
  const [user, system, endedUser, endedSystem] = times(pid)
  return [user!, system!, endedUser!, endedSystem!, ...running].reduce((sum, ticks) => sum + ticks, 0) * MS_PER_TICK
}

/** Returns the ticks of a child, or 0 if it has just ended, because the ticks of its parent then include them. */
function timesOfChild(pid: number): number {
  try {
    const [user, system] = times(pid)
    return user! + system!
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) return 0
    throw error
  }
}

/** Returns the ticks in user and kernel mode, of the process and its ended children. */
function times(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The process name before the last parenthesis can contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).map(Number)
}
