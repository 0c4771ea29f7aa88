import { type SharedPlace, withHiddenPassword } from '../config/shared-place.ts'
import { DeadlinePassed, withDeadline } from '../core/deadline.ts'
import { isDocsearchError } from '../core/errors.ts'
import { silentLogger } from '../core/logger.ts'
import { sharedIndexBytes } from '../index/passages/shared-tables.ts'
import type { Postgres } from '../records/sql/postgres/open.ts'
import type { Surroundings } from './offline-status.ts'

/** How long the store may take to list the objects of all indexes. */
const STORE_MS = 10_000

/** Looks at the database and the object store of an instance of several processes. `folder` is the data folder that the user named. */
export async function lookAtSharedPlace(
  { database, store }: SharedPlace,
  folder: string,
  { coordination, databaseBytes }: Pick<Postgres, 'coordination' | 'databaseBytes'>,
): Promise<Surroundings> {
  const [isRunning, bytes, indexes] = await Promise.all([
    coordination.writer.isTaken(),
    // Unknown, for example because the user may not ask PostgreSQL for the size.
    databaseBytes().catch(() => null),
    indexBytes(store).catch((error: unknown) => error as Error),
  ])
  const isKnown = typeof indexes === 'number'
  return {
    isRunning,
    storage: {
      folder,
      database_bytes: bytes,
      indexes_bytes: isKnown ? indexes : null,
      // Each process has its own disk.
      page_images_bytes: null,
      free_bytes: null,
      total_bytes: null,
    },
    shared: { database: String(withHiddenPassword(database)), store, store_problem: isKnown ? null : problemOf(indexes) },
  }
}

function problemOf(error: Error): string {
  const isSilent = error instanceof DeadlinePassed || isDocsearchError(error, 'store_unavailable')
  // The message of the error says that docsearch tries again, but this command does not.
  return isSilent ? 'The object store does not answer. Check its address and the network.' : error.message
}

async function indexBytes(address: string): Promise<number> {
  const { openS3 } = await import('../objects/s3/open.ts')
  const objects = await openS3({ address, log: silentLogger, timing: { retries: 0 } })
  try {
    return await withDeadline(STORE_MS, undefined, () => sharedIndexBytes(objects))
  } finally {
    objects.close()
  }
}
