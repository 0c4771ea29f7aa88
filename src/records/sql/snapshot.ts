import { Worker } from 'node:worker_threads'
import { builtModule } from '../../core/built-module.ts'
import type { Snapshot } from '../snapshot.ts'
import { translateSqlError } from './errors.ts'
import { MIGRATIONS } from './migrations.ts'
import type { SnapshotAnswer, SnapshotRequest } from './snapshot-protocol.ts'

/**
 * Copies a database to a new file with `VACUUM INTO`, which reads one moment while others write. node:sqlite's `backup` would start over with
 * every commit of another connection. A thread does it, because SQLite blocks the one that calls it. Throws what `translateSqlError` returns.
 */
export async function copyDatabase(request: { database: string; copy: string }): Promise<Snapshot> {
  return inThread(request)
}

/** Returns what a backup says about the records in a database, which nothing else changes meanwhile. */
export async function describeDatabase(file: string): Promise<Snapshot> {
  return inThread({ database: null, copy: file })
}

async function inThread(request: SnapshotRequest): Promise<Snapshot> {
  const worker = new Worker(builtModule(new URL('./snapshot-main.ts', import.meta.url)), { workerData: request })
  try {
    const answer = await new Promise<SnapshotAnswer>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject)
      worker.once('exit', () => reject(new Error('the thread that copies the database has ended')))
    })
    if ('snapshot' in answer) return answer.snapshot
    throw translateSqlError(Object.assign(new Error(answer.error.message), answer.error))
  } finally {
    await worker.terminate()
  }
}

/** Returns the migrations that this version does not know. With one of them, a newer version wrote the database. */
export function unknownMigrations(schema: readonly string[]): string[] {
  return schema.filter((name) => !Object.hasOwn(MIGRATIONS, name))
}
