import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canCluster, type Cluster, startCluster } from '../support/cluster.ts'
import { reportFaults } from '../support/fault-report.ts'
import { until } from '../support/until.ts'
import { asRichText } from '../support/words.ts'

const DOCUMENTS = 30

describe.skipIf(!canCluster)('a database that is down for longer than a lease', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  test('a process that keeps running continues with the documents that it had claimed', async () => {
    const node = await cluster.start('all')
    await cluster.writer()
    // Rich text takes long enough that several documents are in progress.
    for (let i = 0; i < DOCUMENTS; i++)
      await node.upload([{ name: `${i}.rtf`, content: asRichText(`The lantern ${i} is in the shed. `.repeat(500)) }])
    await cluster.postgres.kill()
    await until('the process has given up the lease', () => !node.isWriter())
    await cluster.postgres.start()
    const documents = await node.settled()
    expect(documents.map(({ status }) => status)).toEqual(Array.from({ length: DOCUMENTS }, () => 'ready'))
    reportFaults({ fault: 'database down for longer than a lease', tried: 1, documents: DOCUMENTS })
  })
})
