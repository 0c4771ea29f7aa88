import { newId } from '../../../src/core/ids.ts'
import { BACKUP_RUNS, type BackupKind, type BackupRun, type Backups } from '../../../src/records/backups.ts'
import { backupRunning } from '../../../src/records/errors.ts'
import type { MemoryStore } from './store.ts'

export function memoryBackups(store: MemoryStore): Backups {
  let runs: (BackupRun & { until: Date })[] = []
  const isRunning = () => runs.some(({ outcome, until }) => outcome === 'running' && until > store.now())
  const running = (id: string) => runs.find((run) => run.id === id && run.outcome === 'running')
  const present = ({ until: _until, ...run }: BackupRun & { until: Date }): BackupRun => run
  const newest = (kind: BackupKind | undefined, outcomes?: string[]) => {
    const found = runs.findLast((run) => (kind === undefined || run.kind === kind) && (outcomes?.includes(run.outcome) ?? true))
    return found === undefined ? null : present(found)
  }
  return {
    async begin(kind, until) {
      if (isRunning()) throw backupRunning()
      const startedAt = store.now()
      for (const run of runs) if (run.outcome === 'running') Object.assign(run, { outcome: 'failed', finishedAt: startedAt })
      const id = newId('bak', startedAt)
      runs = [...runs, { id, kind, outcome: 'running' as const, startedAt, finishedAt: null, bytes: 0, documents: 0, until }]
      runs = runs.slice(-BACKUP_RUNS)
      return id
    },
    async renew(id, until) {
      const run = running(id)
      if (run !== undefined) run.until = until
      return run !== undefined
    },
    async finish(id, finished) {
      const run = running(id)
      if (run === undefined) return
      Object.assign(run, finished, { finishedAt: store.now() })
      if (finished.outcome === 'failed') return
      const { kind, bytes, documents, outcome } = run
      store.record({ action: 'backup.create', details: { kind, bytes, documents, complete: outcome === 'done' } })
    },
    isRunning: async () => isRunning(),
    lastSuccess: async (kind) => newest(kind, ['done', 'partial']),
    last: async (kind) => newest(kind),
    async restored(details) {
      runs = []
      store.record({ action: 'backup.restore', details })
    },
  }
}
