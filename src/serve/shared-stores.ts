import { join } from 'node:path'
import type { PassageIndexStore } from '../index/passage-index.ts'
import {
  createSharedIndexStore,
  type SharedIndexStoreOptions,
  type WriterLease,
  type WriterLeases,
} from '../index/shared-index-store.ts'
import { sharedCacheSizes } from '../index/passages/store.ts'
import { divideMemory } from '../index/segments/store/memory.ts'
import type { HeldLease } from '../records/shared.ts'
import type { WebhookOptions } from '../webhooks/create.ts'
import type { SharedInstance } from './shared-instance.ts'
import type { PartsOptions } from './storage-parts.ts'

export interface SharedPartsOptions extends PartsOptions {
  shared: SharedInstance
}

interface IndexStoreParts {
  folder: string
  memoryBytes: number
  cacheBytes: number
  threads: number
  leases: SharedIndexStoreOptions['leases']
}

export function indexStoreOf(
  { folder, shared, log }: Pick<SharedPartsOptions, 'folder' | 'shared' | 'log'>,
  { folder: name, memoryBytes, cacheBytes, threads, leases }: IndexStoreParts,
): PassageIndexStore & { close(): Promise<void> } {
  const { place, store, coordination } = shared
  return createSharedIndexStore({
    address: place.store,
    objects: store,
    cacheFolder: join(folder.dir, name),
    cacheBytes,
    leases,
    newestVersion: (indexId) => coordination.versions.newestCommit(indexId),
    onCommit: (indexId, number) => coordination.versions.noteCommit(indexId, number),
    memory: divideMemory(memoryBytes, threads),
    caches: sharedCacheSizes(memoryBytes),
    log,
  })
}

export function webhookOptions({
  config,
  records,
  shared: { coordination },
  clock,
  log,
}: Pick<SharedPartsOptions, 'config' | 'records' | 'shared' | 'clock' | 'log'>): WebhookOptions {
  return { records, key: { read: () => coordination.secret('webhooks') }, policy: config.webhooks, clock, log }
}

/** Each index has its own fence. */
export function leasesOf(held: HeldLease): WriterLeases {
  const fences = new Map<string, number>()
  return {
    async current(indexId): Promise<WriterLease> {
      const known = held.isHeld() ? fences.get(indexId) : undefined
      const fence = known ?? (await held.nextFence())
      fences.set(indexId, fence)
      return { fence }
    },
    drop(indexId, { fence }) {
      if (fences.get(indexId) === fence) fences.delete(indexId)
    },
  }
}
