import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canCluster, type Cluster, type Node, startCluster } from '../support/cluster.ts'
import { cleanEnv } from '../support/daemon.ts'
import { makeNextVersion, type NextVersion } from '../support/next-version.ts'
import { withClient } from '../support/postgres-server.ts'
import { refusedStart } from '../support/refused.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'
import { rareWord } from '../support/words.ts'

/** Requests to the processes that a load balancer would choose from. Each answer has to be right. */
class Load {
  /** Processes that get requests. */
  nodes: readonly Node[]
  /** The word of each document that is there now, by its path. */
  readonly words = new Map<string, string>()
  /** The words of versions that were replaced and of documents that were deleted. */
  readonly gone: string[] = []
  readonly failures: string[] = []
  uploads = 0
  #isStopping = false
  readonly #running: Promise<void>[]

  constructor(nodes: readonly Node[]) {
    this.nodes = nodes
    this.#running = [0, 1].map((client) => this.#run(client))
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#running)
  }

  async #run(client: number): Promise<void> {
    for (let i = 0; !this.#isStopping; i++) {
      const name = `client-${client}-${i % 20}.txt`
      await this.#step(name, i).catch((error: unknown) => this.failures.push(`${name}, step ${i}: ${String(error)}`))
    }
  }

  /** Changes a document through one process, and finds it through another. */
  async #step(name: string, i: number): Promise<void> {
    const [here, there] = [this.nodes[i % this.nodes.length]!, this.nodes[(i + 1) % this.nodes.length]!]
    const before = this.words.get(name)
    const word = rareWord()
    const { status, body } = await here.upload([{ name, content: `The ${word} waits at the gate.` }], { wait: true })
    const [document] = body.documents ?? []
    if (document === undefined) throw new Error(`upload through ${here.name}: ${status} ${JSON.stringify(body)}`)
    // A worker that stops hands its documents over, which can take longer than the request waits.
    if (status === 202) await until(`${name} is ready`, async () => (await here.document(document.id)).status === 'ready')
    this.uploads += 1
    this.words.set(name, word)
    if (before !== undefined) this.gone.push(before)
    await this.#expectFound(there, word, [name])
    if (before !== undefined) await this.#expectFound(here, before, [])
    if (i % 5 !== 4) return
    const deleted = await there.call('DELETE', `/api/v1/documents/${document.id}`)
    if (deleted.status !== 204) throw new Error(`deletion through ${there.name}: ${deleted.status}`)
    this.words.delete(name)
    this.gone.push(word)
    await this.#expectFound(here, word, [])
  }

  async #expectFound(node: Node, word: string, paths: string[]): Promise<void> {
    const { results } = await node.search(word, { mode: 'keyword', correct: false })
    const found = results.map(({ document }) => document.path)
    if (JSON.stringify(found) !== JSON.stringify(paths))
      throw new Error(`${node.name} finds ${JSON.stringify(found)} instead of ${JSON.stringify(paths)}`)
  }
}

describe.skipIf(!canCluster)('an upgrade of an instance, process by process', () => {
  let cluster: Cluster
  let next: NextVersion
  beforeAll(async () => {
    next = await makeNextVersion()
    cluster = await startCluster()
  })
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]()
    await next[Symbol.asyncDispose]()
  })

  const start = (role: 'api' | 'worker') => cluster.start(role)
  const startNext = (role: 'api' | 'worker') => cluster.start(role, {}, undefined, next.bin)
  const query = (text: string) =>
    withClient(cluster.env['DOCSEARCH_DATABASE']!, async (client) => (await client.query(text)).rows as { fingerprint: string }[])
  const activeLayout = async () => (await query(`select fingerprint from generations where state = 'active'`))[0]!.fingerprint

  test('requests never fail, and nothing is lost', { timeout: 600_000 }, async () => {
    const [firstApi, oldApi] = [await start('api'), await start('api')]
    const oldWorkers = [await start('worker'), await start('worker')]
    await cluster.writer()
    const load = new Load([firstApi, oldApi])
    const moreUploads = async (count = 6) => {
      const before = load.uploads
      await until(`${count} more uploads`, () => load.failures.length > 0 || load.uploads >= before + count)
      expect(load.failures, cluster.nodes.map(({ daemon }) => daemon.stderr()).join('\n')).toEqual([])
    }
    await moreUploads()

    // The first process of the new version upgrades the database.
    const newApi = await startNext('api')
    expect(newApi.daemon.stderr()).toMatch(/upgrading the database from docsearch \S+ to 9\.0\.0/)
    expect(newApi.daemon.stderr()).toContain('upgraded the database (1 step)')
    expect([(await newApi.health()).version, (await oldApi.health()).version]).toEqual([
      next.version,
      expect.not.stringMatching(/^9/),
    ])
    load.nodes = [firstApi, oldApi, newApi]
    await moreUploads(9)
    await expectOldVersionRefused()
    load.nodes = [oldApi, newApi]
    await moreUploads(4)
    expect(await firstApi.daemon.stop()).toBe(0)

    // A worker of the new version builds an index of its own, and the old process for the API follows it.
    const newWorker = await startNext('worker')
    const writer = await cluster.writer(oldWorkers)
    const oldWorker = oldWorkers.find((worker) => worker !== writer)!
    await moreUploads()
    expect(await writer.daemon.stop()).toBe(0)
    // Either worker takes over. An old one that loses its lease tries again later than the new one.
    if ((await cluster.writer([oldWorker, newWorker])) === oldWorker)
      await query(`update leases set expires_at = '-infinity' where name = 'writer'`)
    await cluster.writer([newWorker])
    await until('the index of the new version is active', async () => (await activeLayout()).includes('chunks 9000'))
    await moreUploads()
    await load.stop()
    expect(load.failures).toEqual([])

    // An old worker would replace the index by one of its own version.
    await newWorker.daemon.kill()
    await until('it refuses', () => oldWorker.daemon.stderr().includes('A newer version of docsearch made the search index'))
    const word = rareWord()
    expect((await oldApi.upload([{ name: 'late.txt', content: `A ${word} arrives.` }])).status).toBe(202)
    load.words.set('late.txt', word)
    await cluster.writer([await startNext('worker')])
    await newApi.settled()
    await expectAll(load, [oldApi, newApi])
    expect(await activeLayout()).toContain('chunks 9000')

    // An index that the old process can't read: a load balancer must stop sending requests there.
    await query(`update generations set fingerprint = regexp_replace(fingerprint, 'table \\d+', 'table 9000')`)
    await until('it is unavailable', async () => (await oldApi.call('GET', '/api/v1/health')).status === 503)
    expect(await oldApi.health()).toMatchObject({
      status: 'unavailable',
      checks: { index: { message: expect.stringContaining('Another version of docsearch made the search index') } },
    })
    expect([await oldWorker.daemon.stop(), await oldApi.daemon.stop()]).toEqual([0, 0])
  })

  async function expectOldVersionRefused(): Promise<void> {
    const home = await tempFolder()
    const { code, stderr } = await refusedStart(cleanEnv(home, { ...cluster.env, DOCSEARCH_DATA: home }), [
      '--port',
      '0',
      '--role',
      'api',
    ])
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('docsearch 9.0.0, a newer version, has written to this database'),
    })
  }

  async function expectAll({ words, gone }: Load, nodes: readonly Node[]): Promise<void> {
    const documents = await nodes[0]!.documents()
    expect(documents.map(({ path, status }) => `${path} ${status}`).toSorted()).toEqual(
      [...words.keys()].map((path) => `${path} ready`).toSorted(),
    )
    const found = async (node: Node, word: string) => {
      const { results } = await node.search(word, { mode: 'keyword', correct: false })
      return results.map(({ document }) => document.path)
    }
    for (const node of nodes) {
      for (const [path, word] of words) expect(await found(node, word), `${word} on ${node.name}`).toEqual([path])
      for (const word of gone) expect(await found(node, word), `${word} on ${node.name}`).toEqual([])
    }
  }
})
