// A writer of a shared index in its own process. Stores documents, replaces every third and deletes every fifth, and prints each change once it is
// confirmed, until another writer replaces it. Then it prints the code of the error. Arguments: address of the store, folder for copies, fence.
import { isDocsearchError } from '../../src/core/errors.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { createSharedIndexStore } from '../../src/index/shared-index-store.ts'
import { openS3 } from '../../src/objects/s3/open.ts'
import { SHARED_DIMENSIONS, sharedDocument } from './shared-documents.ts'

const [address = '', cacheFolder = '', fence = ''] = process.argv.slice(2)
const store = createSharedIndexStore({
  address,
  objects: await openS3({ address, log: silentLogger }),
  cacheFolder,
  leases: { current: async () => ({ fence: Number(fence) }), drop() {} },
  newestVersion: null,
  onCommit: async () => {},
  log: silentLogger,
})
const index = await store.open({ id: 'idx', dimensions: SHARED_DIMENSIONS })
try {
  for (let i = 1; ; i++) {
    const id = `doc_${fence}_${i}`
    await index.put([sharedDocument(id, 1)])
    console.log(`${id} 1`)
    if (i % 3 === 0) {
      await index.put([sharedDocument(id, 2)])
      console.log(`${id} 2`)
    }
    if (i % 5 === 0) {
      await index.deleteDocuments([id])
      console.log(`${id} 0`)
    }
    if (i % 7 === 0) await index.optimize()
  }
} catch (error) {
  console.log(isDocsearchError(error) ? error.code : String(error))
  process.exit()
}
