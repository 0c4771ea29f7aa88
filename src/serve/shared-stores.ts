import { join } from 'node:path'
import type { ChunkIndexStore } from '../index/chunk-index.ts'
import { createSharedIndexStore, type SharedIndexStoreOptions } from '../index/shared-index-store.ts'
import { divideMemory } from '../index/segments/store/memory.ts'
import type { WebhookOptions } from '../webhooks/create.ts'
import type { SharedInstance } from './shared-instance.ts'
import type { PartsOptions } from './storage-parts.ts'

export interface SharedPartsOptions extends PartsOptions {
  shared: SharedInstance
}

interface IndexStoreParts {
  folder: string
  memoryBytes: number
  threads: number
  leases: SharedIndexStoreOptions['leases']
}

export function indexStoreOf(
  { folder, shared, log }: Pick<SharedPartsOptions, 'folder' | 'shared' | 'log'>,
  { folder: name, memoryBytes, threads, leases }: IndexStoreParts,
): ChunkIndexStore {
  const { place, store, coordination } = shared
  return createSharedIndexStore({
    address: place.store,
    objects: store,
    cacheFolder: join(folder.dir, name),
    leases,
    newestVersion: (indexId) => coordination.versions.newestCommit(indexId),
    onCommit: (indexId, number) => coordination.versions.noteCommit(indexId, number),
    memory: divideMemory(memoryBytes, threads),
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
