import { join } from 'node:path'
import { daemonOf } from '../client/local-daemon.ts'
import type { Status } from '../contract/status.ts'
import { folderSize } from '../index/index-store.ts'
import type { Records } from '../records/records.ts'
import { storageState } from './disk.ts'

/**
 * The state of a data folder without asking its daemon: what the database and the disk say. `unavailable` if no daemon runs on the folder.
 */
export async function offlineStatus(
  dataDir: string,
  version: string,
  records: Pick<Records, 'queue' | 'users'>,
): Promise<Status> {
  const pageImages = () => folderSize(join(dataDir, 'page-images'))
  const [documents, oldest, totals, sizes, lance, segments] = await Promise.all([
    records.queue.counts(),
    records.queue.oldest(),
    records.users.totals(),
    storageState(dataDir, pageImages),
    folderSize(join(dataDir, 'lance')),
    folderSize(join(dataDir, 'segments')),
  ])
  return {
    status: isRunning(dataDir) ? 'ok' : 'unavailable',
    version,
    documents,
    instance: {
      queue_oldest_s: oldest === null ? null : Math.max(0, (Date.now() - oldest.getTime()) / 1000),
      recent: null,
      index: null,
      parsers: null,
      memory: null,
      storage: {
        folder: dataDir,
        database_bytes: sizes.database,
        originals_bytes: totals.bytes,
        indexes_bytes: lance + segments,
        page_images_bytes: sizes.pageImages,
        free_bytes: sizes.free,
        total_bytes: sizes.total,
      },
      users: { active: totals.users - totals.disabled, disabled: totals.disabled },
    },
  }
}

/** After a crash, the daemon's file may still be there without the daemon. */
function isRunning(dataDir: string): boolean {
  const pid = daemonOf(dataDir)?.pid
  if (typeof pid !== 'number') return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
