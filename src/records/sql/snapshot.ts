import { builtModule } from '../../core/built-module.ts'
import { Thread, ThreadLost } from '../../core/thread.ts'
import type { Snapshot } from '../backups.ts'
import { translateSqlError } from './errors.ts'
import type { SnapshotCalls } from './snapshot-main.ts'

const MAIN = builtModule(new URL('./snapshot-main.ts', import.meta.url))

/**
 * Copies a database to a new file with `VACUUM INTO`, which reads one moment while others write. node:sqlite's `backup` would start over with
 * every commit of another connection. A thread does it, because SQLite blocks the one that calls it. Throws what `translateSqlError` returns.
 */
export async function copyDatabase(request: { database: string; copy: string }): Promise<Snapshot> {
  return inThread('copy', request)
}

/** Returns what a backup says about the records in a database, which nothing else changes meanwhile. */
export async function describeDatabase(file: string): Promise<Snapshot> {
  return inThread('describe', file)
}

async function inThread<K extends keyof SnapshotCalls>(kind: K, request: SnapshotCalls[K]['request']): Promise<Snapshot> {
  const thread = new Thread<SnapshotCalls>(MAIN)
  try {
    return await thread.call(kind, request)
  } catch (error) {
    throw translateSqlError(error instanceof ThreadLost ? error.cause : error)
  } finally {
    await thread.close()
  }
}
