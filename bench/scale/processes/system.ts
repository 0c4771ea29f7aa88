import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SearchAnswer, SearchRequest } from '../../../src/contract/search.ts'
import { type Instance, loadFiles, startInstance, type Upload } from '../../../test/quality/instance.ts'
import { type Cluster, type Node, startCluster } from '../../../test/support/cluster.ts'
import { withClient } from '../../../test/support/postgres-server.ts'
import { httpClient } from '../http-client.ts'
import { UsageMeter } from './usage.ts'

export const PROJECT = 'scale'
/** Settings of a server that must not lose confirmed data, with a counter of statements. */
const SETTINGS = ['fsync=on', 'shared_preload_libraries=pg_stat_statements', 'shared_buffers=512MB', 'max_wal_size=4GB']
const LOG_LEVEL = { DOCSEARCH_LOG_LEVEL: 'info' }

export type Search = (request: Omit<SearchRequest, 'project'>) => Promise<SearchAnswer>

/** An instance of several processes, and an instance in a data folder. */
export interface System {
  cluster: Cluster
  /** The instance in a data folder. */
  single: Instance
  meter: UsageMeter
  database: string
  apis: Node[]
  writer: Node
  /** Starts or resumes the worker that only reads documents. */
  wakeReader(): Promise<void>
  /** Between measurements, the reader is frozen, not stopped, because a new process would compile its code again. */
  freezeReader(): void
  /** Stops an API node and starts one with the data folder of this name. */
  replaceApi(at: number, name: string, env?: Record<string, string>): Promise<Node>
  load(files: readonly Upload[]): Promise<void>
  searchOn(node: Node): { search: Search; close(): void }
  searchSingle(): { search: Search; close(): void }
  passages(): Promise<number>
  dispose(): Promise<void>
}

export async function startSystem(): Promise<System> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-processes-'))
  const accessLog = join(folder, 'access.log')
  const cluster = await startCluster({ settings: SETTINGS, accessLog })
  const { DOCSEARCH_TEST_LEASE_MS: _lease, DOCSEARCH_PARSE_WORKERS: _parsers, NODE_ENV: _env, ...env } = cluster.env
  // Requests go to the store itself instead of the proxy of the tests.
  cluster.env = { ...env, ...LOG_LEVEL, AWS_ENDPOINT_URL: cluster.store.url }
  await withClient(cluster.postgres.admin, (client) => client.query('create extension pg_stat_statements'))
  const start = (role: 'api' | 'worker', name: string, more = {}) =>
    cluster.start(role, { AWS_SDK_UA_APP_ID: name, ...more }, name)
  const apis = [await start('api', 'api-1')]
  const writer = await start('worker', 'worker-1')
  await cluster.writer()
  apis.push(await start('api', 'api-2'))
  const single = await startInstance()
  let reader: Node | null = null
  const database = new URL(cluster.env.DOCSEARCH_DATABASE!).pathname.slice(1)
  const meter = new UsageMeter({
    pids: () => ({
      'API nodes': apis.map(({ daemon }) => daemon.pid),
      'reading worker': reader === null ? [] : [reader.daemon.pid],
      writer: [writer.daemon.pid],
      PostgreSQL: [cluster.postgres.pid()],
      'object store': [cluster.store.pid],
      'one process': [single.daemon.pid],
    }),
    postgres: cluster.postgres,
    database,
    store: { pid: cluster.store.pid, accessLog },
  })
  return {
    cluster,
    single,
    meter,
    database,
    apis,
    writer,
    async wakeReader() {
      if (reader === null) reader = await start('worker', 'worker-2')
      else reader.signal('SIGCONT')
    },
    freezeReader() {
      reader!.signal('SIGSTOP')
      if (reader!.isWriter() || !writer.isWriter())
        throw new Error('another worker has become the writer: the figures are worthless')
    },
    async replaceApi(at, name, more) {
      await apis[at]!.daemon.stop()
      return (apis[at] = await start('api', name, more))
    },
    load: (files) => loadFiles({ url: apis[0]!.url, token: cluster.token }, PROJECT, files),
    searchOn: ({ url }) => searchAt(url, cluster.token),
    searchSingle: () => searchAt(single.daemon.url, single.token),
    passages: async () => (await apis[0]!.project(PROJECT)).chunk_count,
    async dispose() {
      await single.dispose()
      await cluster[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function searchAt(url: string, token: string): { search: Search; close(): void } {
  const client = httpClient(url, { Authorization: `Bearer ${token}` })
  return {
    search: async (request) => (await client.post('/api/v1/search', { project: PROJECT, ...request })) as SearchAnswer,
    close: () => client.close(),
  }
}
