import { readFileSync } from 'node:fs'

const EVERY_MS = 100

/** Returns the resident memory of a process in bytes; 0 if the system does not report it. */
export function residentMemory(pid: number): number {
  if (process.platform !== 'linux') return 0
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
}

/** Watches the memory of a process until `end` is called, which returns the highest value in bytes. */
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
