import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Status } from '../../src/contract/status.ts'
import { canCluster, type Cluster, type Node, startCluster } from '../support/cluster.ts'
import { runCli } from '../support/daemon.ts'
import { testFolder } from '../support/cli.ts'

describe.skipIf(!canCluster)('docsearch status for an instance of several processes', () => {
  let cluster: Cluster
  let node: Node
  beforeAll(async () => {
    cluster = await startCluster()
    node = await cluster.start('all')
    await node.upload([{ name: 'trees.txt', content: 'Linden trees line the street.' }], { wait: true })
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  /** Runs the command on a machine without a process of the instance. */
  const look = async (options: { args?: string[]; env?: Record<string, string> } = {}) => {
    const { args = [], env = {} } = options
    const { env: own } = node.daemon
    return runCli(['status', '--data', testFolder(), ...args], { ...own, ...cluster.env, DOCSEARCH_SERVER: '', ...env })
  }
  const fieldsOf = (stdout: string) => new Map(stdout.split('\n').map((line) => line.split('\t') as [string, string]))

  test('a process knows the sizes of the database and the indexes', async () => {
    const { body } = await node.call<Status>('GET', '/api/v1/status')
    expect(body.instance!.storage).toMatchObject({ database_bytes: expect.any(Number), indexes_bytes: expect.any(Number) })
    expect(body.instance!.index).toMatchObject({ passages: 1 })
  })

  test('--data reads the database and the store', async () => {
    const { code, stdout, stderr } = await look()
    expect([code, stderr]).toEqual([0, ''])
    const fields = fieldsOf(stdout)
    expect(fields.get('status')).toMatch(/^a worker runs/)
    expect(fields.get('documents')).toBe('1 document: 1 ready')
    expect(fields.get('queue')).toBe('empty')
    expect(fields.get('storage')).toMatch(/^database [\d.]+ MB, originals 29 B, indexes [\d.]+ [kM]B$/)
    expect(fields.get('users')).toBe('1')
    expect(fields.get('disks')).toMatch(/^unknown: /)
    expect([fields.get('database'), fields.get('store')]).toEqual([
      cluster.env['DOCSEARCH_DATABASE'],
      cluster.env['DOCSEARCH_STORE'],
    ])
    const { instance } = JSON.parse((await look({ args: ['--json'] })).stdout) as Status
    const { body } = await node.call<Status>('GET', '/api/v1/status')
    const { database_bytes: database, indexes_bytes: indexes } = instance!.storage
    expect(database).toBeGreaterThan(1e6)
    expect(indexes).toBe(body.instance!.storage.indexes_bytes)
  })

  test('--data says what it cannot read', async () => {
    const { code, stdout } = await look({ env: { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' } })
    expect(code).toBe(0)
    const fields = fieldsOf(stdout)
    expect(fields.get('documents')).toBe('1 document: 1 ready')
    expect(fields.get('storage')).toMatch(/indexes unknown$/)
    expect(fields.get('store')).toMatch(/ cannot be read: The object store does not answer\./)
  })

  test('--data says that no worker runs', async () => {
    await node.daemon.stop()
    const { code, stdout } = await look()
    expect(code).toBe(5)
    expect(fieldsOf(stdout).get('status')).toMatch(/^no worker runs, so uploaded documents wait/)
  })
})
