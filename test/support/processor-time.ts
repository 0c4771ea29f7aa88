import { readFileSync } from 'node:fs'
import { childrenOf } from './processes.ts'

/** Of the kernel's clock in /proc. */
const MS_PER_TICK = 10

/** Milliseconds of the processor that a process and its children took so far, those that have ended included; 0 where the system does not tell. */
export function processorTime(pid: number): number {
  if (process.platform !== 'linux') return 0
  const [user, system, endedUser, endedSystem] = times(pid)
  const running = childrenOf(pid).map((child) => times(child)[0]! + times(child)[1]!)
  return [user!, system!, endedUser!, endedSystem!, ...running].reduce((sum, ticks) => sum + ticks, 0) * MS_PER_TICK
}

/** In the user's code and in the kernel, its own and that of its ended children. */
function times(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name before it may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).map(Number)
}
