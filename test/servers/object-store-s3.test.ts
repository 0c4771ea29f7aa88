import { afterAll, beforeAll, describe } from 'vitest'
import { startS3rver, startVersitygw, type TestStore, VERSITYGW } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'
import { objectStoreConformance } from '../conformance/object-store.ts'

const SERVERS = [
  { name: 's3rver with conditional writes', start: () => startS3rver({ addsConditions: true }), isThere: true },
  { name: 'versitygw', start: startVersitygw, isThere: VERSITYGW !== null },
]

for (const { name, start, isThere } of SERVERS)
  describe.skipIf(!isThere)(`an object store: ${isThere ? name : `${name} (not installed; .ci/run installs it)`}`, () => {
    let server: TestStore
    beforeAll(async () => {
      server = await start()
    })
    afterAll(() => server[Symbol.asyncDispose]())
    objectStoreConformance(() => openStore(server))
  })
