import { readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { canCluster, type Cluster, type Node, startCluster } from '../support/cluster.ts'
import { runCli, startRealDaemon } from '../support/daemon.ts'
import { BUCKET } from '../support/object-stores.ts'
import { tempFolder } from '../support/temp-folder.ts'

const REFUSED = expect.objectContaining({
  code: 'check_failed',
  message: expect.stringContaining('The object store does not belong to this database') as string,
}) as object
const findingsOf = (stdout: string) => (JSON.parse(stdout) as { findings: { message: string }[] }).findings

describe.skipIf(!canCluster)('an object store that belongs to another instance', () => {
  let cluster: Cluster
  let api: Node
  beforeAll(async () => {
    cluster = await startCluster()
    api = await cluster.start('all')
    await api.upload([{ name: 'anchor.txt', content: 'The anchor is in the shed.' }], { wait: true })
    // A sweep spares new objects.
    const before = new Date(Date.now() - 86_400_000)
    for (const file of objects()) utimesSync(file, before, before)
  })
  afterAll(() => cluster?.[Symbol.asyncDispose]())

  const objects = (prefix = 'blobs') =>
    readdirSync(join(cluster.store.folder, 'instance', prefix), { recursive: true, encoding: 'utf8' })
      .map((name) => join(cluster.store.folder, 'instance', prefix, name))
      .filter((file) => statSync(file).isFile())
  const start = async (env: Record<string, string>) => {
    const daemon = await startRealDaemon({ env: { ...cluster.env, ...env } })
    onTestFinished(() => daemon.dispose())
    return daemon
  }

  test('a process with an empty database does not start, and deletes nothing', async () => {
    const originals = objects()
    expect(originals).toHaveLength(1)
    await expect(start({ DOCSEARCH_DATABASE: await cluster.postgres.database() })).rejects.toThrow(
      'The database has no documents, but the object store is not empty',
    )
    expect(objects()).toEqual(originals)
    expect((await api.search('anchor', { mode: 'keyword' })).results).toHaveLength(1)
  })

  test('neither an instance with its own store nor its doctor uses it', async () => {
    const originals = objects()
    const DOCSEARCH_DATABASE = await cluster.postgres.database()
    const other = await start({ DOCSEARCH_DATABASE, DOCSEARCH_STORE: `s3://${BUCKET}/other` })
    await other.stop()
    await expect(start({ DOCSEARCH_DATABASE })).rejects.toThrow('The object store does not belong to this database')
    const env = { ...other.env, DOCSEARCH_STORE: cluster.env['DOCSEARCH_STORE']! }
    const { stdout } = await runCli(['--json', 'doctor', '--fix', '--data', other.dataDir], env)
    expect(findingsOf(stdout)).toContainEqual(REFUSED)
    expect(objects()).toEqual(originals)
  })

  test('nor does the doctor with a database in which no instance has started', async () => {
    const originals = objects()
    const env = { ...cluster.env, DOCSEARCH_DATABASE: await cluster.postgres.database() }
    const folder = await tempFolder()
    // This creates the tables.
    await runCli(['users', 'list', '--data', folder], env)
    const { stdout } = await runCli(['--json', 'doctor', '--fix', '--data', folder], env)
    expect(findingsOf(stdout)).toContainEqual(REFUSED)
    expect(objects()).toEqual(originals)
  })

  test('processes of a new instance can start at the same time', async () => {
    const env = { DOCSEARCH_DATABASE: await cluster.postgres.database(), DOCSEARCH_STORE: `s3://${BUCKET}/together` }
    await Promise.all(['worker', 'api', 'all'].map((role) => start({ ...env, DOCSEARCH_ROLE: role })))
  })
})
