/** What docsearch is meant to reach at a size of collection. */
export interface Goals {
  search?: string
  throughput?: string
  duringIngest?: string
  idle?: string
  memory?: string
  disk?: string
  start?: string
  ingest?: string
}

const GOALS: Readonly<Record<number, Goals>> = {
  20_000: { search: '≤ /me + 5 ms', throughput: '≥ 1.3 ×', idle: '≤ 200 MB', memory: '≤ 450 MB' },
  200_000: { search: '≤ 8 / 20 ms', duringIngest: 'p95 ≤ 50 ms' },
  1_000_000: {
    search: '≤ 15 / 50 ms',
    throughput: '≥ 50/s',
    memory: '≤ 3,000 MB',
    disk: '≤ 5,500 MB',
    start: '≤ 4,000 ms',
    ingest: '≥ 1,500/s',
  },
}

export function goalsOf(passages: number): Goals {
  return GOALS[passages] ?? {}
}
