import type { Memory } from '../services/instance.ts'

/** Measures the memory of this process. */
export function memoryState(forSearch: number): Memory {
  const { rss, heapUsed } = process.memoryUsage()
  return { resident: rss, heap: heapUsed, forSearch }
}
