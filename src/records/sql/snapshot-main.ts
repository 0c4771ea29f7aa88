import { DatabaseSync } from 'node:sqlite'
import { answerCalls } from '../../core/thread.ts'
import type { Snapshot } from '../backups.ts'

/** The calls of this thread. */
export interface SnapshotCalls {
  copy: { request: { database: string; copy: string }; answer: Snapshot }
  describe: { request: string; answer: Snapshot }
}

/** A checkpoint of the daemon may hold the database for a moment. */
const BUSY_TIMEOUT_MS = 10_000

answerCalls<SnapshotCalls>({
  copy({ database, copy }) {
    const source = new DatabaseSync(database, { timeout: BUSY_TIMEOUT_MS })
    try {
      source.prepare('vacuum into ?').run(copy)
    } finally {
      source.close()
    }
    return describe(copy)
  },
  describe,
})

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
