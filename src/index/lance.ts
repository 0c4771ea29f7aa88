import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { systemClock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { ChunkIndexStore } from './chunk-index.ts'

const SUFFIX = '.lance'
const PREFIX = 'chunks_'

export interface LanceIndexStoreOptions {
  /** `lance/` in the data folder. Created when it does not exist. */
  folder: string
  log: Logger
  clock?: Clock
}

/**
 * Creates a store that keeps each index in a LanceDB table. The first `open` loads the native library (200 MB). LanceDB never calls
 * fsync, so a power cut can damage a table: `open` notices that and throws `index_corrupt`.
 */
export function createLanceIndexStore({ folder, log, clock = systemClock }: LanceIndexStoreOptions): ChunkIndexStore {
  return {
    async open({ id, dimensions }) {
      // LanceDB logs to standard error by itself. Its warnings, on k-means or deprecations, don't help an operator.
      process.env['LANCEDB_LOG'] ??= 'error'
      const { openLanceTable } = await import('./lance-table.ts')
      return openLanceTable({ folder, name: tableName(id), dimensions, clock, log: log.child({ index: id }) })
    },

    async list() {
      const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      })
      return entries
        .filter((name) => name.startsWith(PREFIX) && name.endsWith(SUFFIX))
        .map((name) => name.slice(PREFIX.length, -SUFFIX.length))
    },

    size: (id) => folderSize(join(folder, tableName(id) + SUFFIX)),

    async drop(id) {
      // Removes the folder itself, because LanceDB may be unable to read a damaged table.
      await rm(join(folder, tableName(id) + SUFFIX), { recursive: true, force: true })
    },
  }
}

/** Files may come and go while it counts. */
async function folderSize(folder: string): Promise<number> {
  const gone = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  }
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(gone)) ?? []
  const files = entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name)).catch(gone))
  return (await Promise.all(files)).reduce((sum, file) => sum + (file?.size ?? 0), 0)
}

function tableName(indexId: string): string {
  // The id becomes part of a folder's name.
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(indexId)) {
    throw new DocsearchError('index_failed', 'The ID of an index has characters that a folder name cannot have.')
  }
  return PREFIX + indexId
}
