/** Moments between two steps of a write. The fault tests end the daemon exactly there. */
export type KillPoint =
  | ('body' | 'fsync' | 'rename' | 'commit')
  | ('extract' | 'embed' | 'index' | 'done')
  | ('delete' | 'replace')
  /** Of an index that is built beside: begun, a commit in it and not in the records, then in both, whole, and in use. */
  | ('build' | 'build-index' | 'build-done' | 'whole' | 'switch')

interface Armed {
  point: string
  /** Passings left until the process ends. */
  left: number
}

function armed(): Armed | null {
  const wanted = process.env.NODE_ENV === 'test' ? process.env.DOCSEARCH_TEST_KILL_AT : undefined
  if (!wanted) return null
  const [point = '', count = '1'] = wanted.split(':')
  return { point, left: Number(count) }
}

const target = armed()

/**
 * Does nothing, unless NODE_ENV is `test` and DOCSEARCH_TEST_KILL_AT names this point (`point` or `point:n` for its nth passing):
 * then the process is killed with SIGKILL, as a power cut or the kernel would do it.
 */
export function killPoint(point: KillPoint): void {
  if (target === null || target.point !== point) return
  target.left -= 1
  if (target.left === 0) process.kill(process.pid, 'SIGKILL')
}
