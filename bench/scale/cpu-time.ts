import { readdirSync, readFileSync } from 'node:fs'

const MS_PER_TICK = 10

export interface CpuTime {
  /** The main thread. */
  main: number
  /** All threads. */
  all: number
}

/** Returns the processor time of a process in milliseconds, without its children; 0 without /proc. */
export function cpuTime(pid: number): CpuTime {
  if (process.platform !== 'linux') return { main: 0, all: 0 }
  const times = readdirSync(`/proc/${pid}/task`).map((thread) => ({ thread, ms: threadTime(pid, thread) }))
  return {
    main: times.find(({ thread }) => thread === String(pid))?.ms ?? 0,
    all: times.reduce((sum, { ms }) => sum + ms, 0),
  }
}

function threadTime(pid: number, thread: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
  } catch {
    return 0 // The thread has ended.
  }
}
