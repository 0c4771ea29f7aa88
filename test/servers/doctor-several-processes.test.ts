import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { DoctorReport } from '../../src/contract/doctor.ts'
import type { ObjectStore, StoredObject } from '../../src/objects/object-store.ts'
import { canCluster, type Cluster, type Node, startCluster } from '../support/cluster.ts'
import { runCli } from '../support/daemon.ts'
import { openStore } from '../support/open-store.ts'
import { withClient } from '../support/postgres-server.ts'
import { until } from '../support/until.ts'

const WORDS = ['anchor', 'bellows', 'candle', 'dagger', 'easel']

describe.skipIf(!canCluster)('the doctor of an instance of several processes', () => {
  let cluster: Cluster
  let api: Node
  let store: ObjectStore
  beforeAll(async () => {
    cluster = await startCluster()
    api = await cluster.start('api')
    await cluster.start('worker')
    for (const word of WORDS) {
      const { body } = await api.upload([{ name: `${word}.txt`, content: `The ${word} is in the shed.` }], { wait: true })
      expect(body.documents[0]).toMatchObject({ status: 'ready' })
    }
  })
  afterAll(() => cluster?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    store = await openStore(cluster.store, {}, cluster.env['DOCSEARCH_STORE'])
  })

  /** Runs the doctor of the instance, or on the settings of the folder of a process. */
  async function doctor(...args: string[]): Promise<DoctorReport & { code: number | null }> {
    const { env } = api.daemon
    const instance = { DOCSEARCH_SERVER: api.url, DOCSEARCH_TOKEN: cluster.token }
    const { code, stdout, stderr } = await runCli(['--json', 'doctor', ...args], {
      ...env,
      ...(!args.includes('--data') && instance),
    })
    expect(stdout, stderr).toMatch(/^\{/)
    return { code, ...(JSON.parse(stdout) as DoctorReport) }
  }
  const codesOf = ({ findings }: DoctorReport) => findings.map(({ code }) => code)
  const objectsIn = async (prefix: string): Promise<StoredObject[]> => {
    const found: StoredObject[] = []
    for await (const object of store.list(prefix)) found.push(object)
    return found
  }
  const originalOf = async (word: string): Promise<StoredObject> => {
    const document = (await api.documents()).find(({ path }) => path === `${word}.txt`)!
    return (await objectsIn(`blobs/${document.sha256}/`))[0]!
  }
  const expectHealthy = async () => {
    const report = await until('nothing is wrong', async () => {
      await api.settled()
      const found = await doctor()
      return found.findings.every(({ severity }) => severity === 'warning') && found
    })
    expect(report.checks.filter(({ status }) => status === 'skipped').map(({ name }) => name)).toEqual([
      'folder',
      'space',
      'page_images',
    ])
    expect(report.checks.find(({ name }) => name === 'index')!.message).toContain(`${WORDS.length} passages`)
    for (const word of WORDS) expect((await api.search(word, { mode: 'keyword' })).results).toHaveLength(1)
  }

  test('it checks both the database and the store, over the API and with the settings of a folder', async () => {
    await expectHealthy()
    const { code, checks } = await doctor('--data', join(api.daemon.dataDir, 'elsewhere'))
    expect(code).toBe(0)
    expect(checks.find(({ name }) => name === 'originals')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining(`${WORDS.length} originals`) as string,
    })
    const parts = await Promise.all(['1/2', '2/2'].map((part) => doctor('--data', api.daemon.dataDir, '--subset', part)))
    const counts = parts.map((part) => Number(/^\d+/.exec(part.checks.find(({ name }) => name === 'originals')!.message)![0]))
    expect(counts[0]! + counts[1]!).toBe(WORDS.length)
  })

  test('it names a deleted and a changed original, and --fix makes the next upload restore them', async () => {
    const [deleted, changed] = [await originalOf('anchor'), await originalOf('bellows')]
    await store.delete(deleted.key)
    await store.put(changed.key, Buffer.from('The bellows is in the shod.'))
    const found = await doctor()
    expect(found.code).toBe(3)
    expect(codesOf(found).toSorted()).toEqual(['original_damaged', 'original_missing'])
    const missing = found.findings.find(({ code }) => code === 'original_missing')!
    expect(missing.documents.map(({ path }) => path)).toEqual(['anchor.txt'])
    expect(deleted.key).toContain(missing.place)

    await doctor('--fix')
    for (const word of ['anchor', 'bellows'])
      await api.upload([{ name: `${word}.txt`, content: `The ${word} is in the shed.` }], { wait: true })
    expect(codesOf(await doctor('--fix')).filter((code) => code !== 'original_restored')).toEqual([])
    await expectHealthy()
  })

  test.each([
    ['deleted', (key: string) => store.delete(key)],
    ['changed', (key: string) => store.put(key, Buffer.alloc(200))],
  ])('it names a %s file of a segment and its documents, and --fix has them indexed again', async (_how, damage) => {
    // Some of these files are no longer in use.
    const keys = (await objectsIn('segments/')).map(({ key }) => key).filter((key) => key.endsWith('.seg'))
    for (const key of keys) await damage(key)
    const found = await doctor()
    expect(codesOf(found)).toContain('segment_damaged')
    expect(codesOf(found).filter((code) => code === 'passages_missing')).toHaveLength(WORDS.length)
    expect(keys).toContain(found.findings.find(({ code }) => code === 'segment_damaged')!.place)
    const fixed = await doctor('--fix')
    expect(fixed.findings.filter(({ repaired }) => !repaired)).toEqual([])
    await expectHealthy()
  })

  test('it compares the index and the stored numbers with the documents', async () => {
    const [document] = await api.documents()
    await withClient(cluster.env['DOCSEARCH_DATABASE']!, async (client) => {
      await client.query('update documents set chunk_count = chunk_count + 1 where id = $1', [document!.id])
      await client.query('update usage set bytes = bytes + 1')
      await client.query(`update pages set text = 'other' where document_id = $1`, [document!.id])
    })
    const found = await doctor()
    expect(codesOf(found).toSorted()).toEqual(['counts_wrong', 'passages_missing', 'text_damaged'])
    const fixed = await doctor('--fix')
    expect(fixed).toMatchObject({ code: 0, status: 'ok' })
    await expectHealthy()
  })

  test('a file of the table that is missing is damage of the index', async () => {
    for (const { key } of await objectsIn('lance/')) if (key.includes('/data/')) await store.delete(key)
    const found = await doctor()
    expect(codesOf(found)).toContain('index_damaged')
    expect(found.code).toBe(3)
    const fixed = await doctor('--fix')
    expect(fixed.findings.find(({ code }) => code === 'index_damaged')).toMatchObject({ repaired: false })
  })

  test('without the store, the check says so and ends', async () => {
    cluster.store.proxy.fault = () => 'fail'
    try {
      const found = await doctor()
      expect(found).toMatchObject({ code: 7, status: 'fatal' })
      expect(codesOf(found)).toContain('check_failed')
    } finally {
      cluster.store.proxy.fault = () => 'pass'
    }
  })
})
