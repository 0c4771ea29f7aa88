/** Moments between two steps of a write, at which the fault tests kill the daemon. */
export type KillPoint =
  | ('body' | 'fsync' | 'rename' | 'commit')
  | ('attachment' | 'extract' | 'embed' | 'index' | 'done')
  | ('delete' | 'replace' | 'edit' | 'restore' | 'purge')
  /** The steps of a commit: the rows are stored; the files of the segments are written; the segments are switched. */
  | ('rows' | 'segments-written' | 'segments-switched')
  /** Of an index that is being built: started; a commit in the index but not in the records; a commit in both; complete; active. */
  | ('build' | 'build-index' | 'build-done' | 'whole' | 'switch')
  /** Of an upgrade: the copy of the database is written; after each migration; all migrations are committed. */
  | ('upgrade-copy' | 'upgrade-step' | 'upgraded')

interface Armed {
  point: string
  /** How often the process still passes the point before it is killed. */
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
 * Kills the process with SIGKILL, as a power cut or the kernel would, if NODE_ENV is `test` and DOCSEARCH_TEST_KILL_AT names this point
 * (`point`, or `point:n` for the nth time the process passes it). Otherwise does nothing.
 */
export function killPoint(point: KillPoint): void {
  if (target === null || target.point !== point) return
  target.left -= 1
  if (target.left === 0) process.kill(process.pid, 'SIGKILL')
}
