import { newId } from '../../core/ids.ts'
import { BACKUP_RUNS, type BackupKind, type BackupRun, type Backups } from '../backups.ts'
import { backupRunning } from '../errors.ts'
import type { Store, WriteTransaction } from './store.ts'
import { dateOrNull, type BackupRow } from './tables.ts'

export function createBackups(store: Store): Backups {
  const { db, clock, now } = store
  const newest = (kind: BackupKind | undefined) => {
    const query = db.selectFrom('backups').selectAll().orderBy('started_at', 'desc').orderBy('id', 'desc').limit(1)
    return kind === undefined ? query : query.where('kind', '=', kind)
  }
  return {
    begin: (kind, until) =>
      store.write(async (tx) => {
        if (await isRunning(tx.sql, now())) throw backupRunning()
        const at = clock.now()
        // The process of an earlier run was killed, or has lost its lease.
        await tx.sql
          .updateTable('backups')
          .set({ outcome: 'failed', finished_at: now() })
          .where('outcome', '=', 'running')
          .execute()
        const id = newId('bak', at)
        const times = { started_at: at.getTime(), lease_until: until.getTime(), finished_at: null }
        await tx.sql
          .insertInto('backups')
          .values({ id, kind, outcome: 'running', bytes: 0, documents: 0, ...times })
          .execute()
        await forgetOld(tx)
        return id
      }),
    renew: (id, until) =>
      store.write(async ({ sql }) => {
        const query = sql.updateTable('backups').set({ lease_until: until.getTime() })
        const { numUpdatedRows } = await query.where('id', '=', id).where('outcome', '=', 'running').executeTakeFirst()
        return numUpdatedRows > 0n
      }),
    finish: (id, run) =>
      store.write(async (tx) => {
        const query = tx.sql.updateTable('backups').set({ ...run, finished_at: now() })
        const row = await query.where('id', '=', id).where('outcome', '=', 'running').returningAll().executeTakeFirst()
        if (row === undefined || run.outcome === 'failed') return
        const { kind, bytes, documents, outcome } = row
        await tx.record({ action: 'backup.create', details: { kind, bytes, documents, complete: outcome === 'done' } })
      }),
    isRunning: () => isRunning(db, now()),
    async lastSuccess(kind) {
      const row = await newest(kind).where('outcome', 'in', ['done', 'partial']).executeTakeFirst()
      return row === undefined ? null : toRun(row)
    },
    async last(kind) {
      const row = await newest(kind).executeTakeFirst()
      return row === undefined ? null : toRun(row)
    },
    restored: (details) =>
      store.write(async (tx) => {
        await tx.sql.deleteFrom('backups').execute()
        await tx.record({ action: 'backup.restore', details })
      }),
  }
}

async function isRunning(db: Store['db'], at: number): Promise<boolean> {
  const query = db.selectFrom('backups').select('id').where('outcome', '=', 'running').where('lease_until', '>', at)
  return (await query.executeTakeFirst()) !== undefined
}

async function forgetOld({ sql }: WriteTransaction): Promise<void> {
  const kept = sql.selectFrom('backups').select('id').orderBy('started_at', 'desc').orderBy('id', 'desc').limit(BACKUP_RUNS)
  await sql.deleteFrom('backups').where('id', 'not in', kept).execute()
}

function toRun({ started_at: startedAt, finished_at: finishedAt, lease_until: _lease, ...row }: BackupRow): BackupRun {
  return { ...row, startedAt: new Date(startedAt), finishedAt: dateOrNull(finishedAt) }
}
