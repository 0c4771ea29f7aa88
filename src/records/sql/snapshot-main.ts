import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Snapshot } from '../snapshot.ts'
import type { SnapshotAnswer, SnapshotRequest } from './snapshot-protocol.ts'

/** A checkpoint of the daemon may hold the database for a moment. */
const BUSY_TIMEOUT_MS = 10_000

parentPort?.postMessage(copy(workerData as SnapshotRequest))

function copy({ database, copy }: SnapshotRequest): SnapshotAnswer {
  try {
    if (database !== null) copyFile(database, copy)
    return { snapshot: describe(copy) }
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    return { error: { message, ...(errcode !== undefined && { errcode }) } }
  }
}

function copyFile(database: string, copy: string): void {
  const source = new DatabaseSync(database, { timeout: BUSY_TIMEOUT_MS })
  try {
    source.prepare('vacuum into ?').run(copy)
  } finally {
    source.close()
  }
}

function describe(file: string): Snapshot {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const count = (table: string) => db.prepare(`select count(*) as n from ${table}`).get()!['n'] as number
    const originals = db.prepare(
      `select sha256, max(size_bytes) as size from (select sha256, size_bytes from documents union all select sha256, size_bytes from trash)
       group by sha256 order by sha256`,
    )
    const index = db
      .prepare(`select id, embedding_model as embeddingModel, dimensions, fingerprint from generations where state = 'active'`)
      .get()
    return {
      schema: db
        .prepare('select name from kysely_migration order by name')
        .all()
        .map((row) => row['name'] as string),
      documents: count('documents'),
      trashed: count('trash'),
      index: index === undefined ? null : ({ ...index } as unknown as Snapshot['index']),
      originals: originals.all() as unknown as Snapshot['originals'],
    }
  } finally {
    db.close()
  }
}
