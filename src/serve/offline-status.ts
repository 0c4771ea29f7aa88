import { join } from 'node:path'
import { runningDaemonOf } from '../client/local-daemon.ts'
import type { InstanceStatus, Status } from '../contract/status.ts'
import { folderSize } from '../index/index-store.ts'
import type { Records } from '../records/records.ts'
import { storageState } from './disk.ts'

/** What the records of an instance don't know about it. */
export interface Surroundings extends Pick<InstanceStatus, 'shared'> {
  /** True if a process can read documents: the daemon of the folder, or a worker. */
  isRunning: boolean
  storage: Omit<InstanceStatus['storage'], 'originals_bytes'>
}

/** The state of an instance without asking its processes. `unavailable` if no daemon runs on the data folder, or no worker on the database. */
export async function offlineStatus(
  look: () => Promise<Surroundings>,
  version: string,
  records: Pick<Records, 'queue' | 'users'>,
): Promise<Status> {
  const [documents, oldest, totals, { isRunning, storage, ...place }] = await Promise.all([
    records.queue.counts(),
    records.queue.oldest(),
    records.users.totals(),
    look(),
  ])
  return {
    status: isRunning ? 'ok' : 'unavailable',
    version,
    documents,
    instance: {
      queue_oldest_s: oldest === null ? null : Math.max(0, (Date.now() - oldest.getTime()) / 1000),
      recent: null,
      index: null,
      parsers: null,
      memory: null,
      storage: { ...storage, originals_bytes: totals.bytes },
      users: { active: totals.users - totals.disabled, disabled: totals.disabled },
      ...place,
    },
  }
}

/** Looks at a data folder and the process that runs on it. */
export async function lookAtFolder(dataDir: string): Promise<Surroundings> {
  const pageImages = () => folderSize(join(dataDir, 'page-images'))
  const [sizes, lance, segments] = await Promise.all([
    storageState(dataDir, { pageImages }),
    folderSize(join(dataDir, 'lance')),
    folderSize(join(dataDir, 'segments')),
  ])
  return {
    isRunning: runningDaemonOf(dataDir) !== null,
    storage: {
      folder: dataDir,
      database_bytes: sizes.database,
      indexes_bytes: lance + segments,
      page_images_bytes: sizes.pageImages,
      free_bytes: sizes.free,
      total_bytes: sizes.total,
    },
  }
}
