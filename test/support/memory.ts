import { readFileSync } from 'node:fs'

const EVERY_MS = 100

/** Resident memory of a process in bytes; 0 where the system does not tell. */
export function residentMemory(pid: number): number {
  if (process.platform !== 'linux') return 0
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
}

/** Looks at a process's memory until `end`, which gives the most it had, in bytes. */
export function watchMemory(pid: number): { end(): number } {
  let peak = residentMemory(pid)
  const timer = setInterval(() => (peak = Math.max(peak, residentMemory(pid))), EVERY_MS)
  return {
    end() {
      clearInterval(timer)
      return Math.max(peak, residentMemory(pid))
    },
  }
}
