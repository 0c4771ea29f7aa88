import { silentLogger } from '../core/logger.ts'
import { inspectSharedIndex, newestObjectOf } from '../index/inspect-shared.ts'
import { createSharedIndexStore } from '../index/shared-index-store.ts'
import type { IndexPlace } from './scene.ts'
import type { SharedParts } from './shared-scene.ts'
import { isLeftover } from './store-leftovers.ts'

/** The indexes in an object store. */
export function sharedIndexPlace({
  address,
  objects,
  folder,
  now,
}: Pick<SharedParts, 'address' | 'objects' | 'folder' | 'now'>): IndexPlace {
  const indexes = createSharedIndexStore({
    address,
    objects,
    cacheFolder: folder,
    leases: null,
    newestVersion: null,
    onCommit: async () => {},
    log: silentLogger,
  })
  return {
    name: 'The object store',
    inspect: (index) => inspectSharedIndex({ address, objects, folder, ...index }),
    async list() {
      const old: string[] = []
      for (const id of await indexes.list()) if (isLeftover(await newestObjectOf(objects, id), now())) old.push(id)
      return old
    },
    removeFile: null,
  }
}
