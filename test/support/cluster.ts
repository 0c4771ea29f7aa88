import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RealDaemon, startRealDaemon } from './daemon.ts'
import { BUCKET, type RunningVersitygw, startVersitygw, VERSITYGW } from './object-stores.ts'
import { hasPostgres, type RunningPostgres, startPostgres } from './postgres-server.ts'
import { type Rest, rest } from './rest.ts'
import { until } from './until.ts'

/** False if this machine lacks PostgreSQL or the object store. */
export const canCluster = hasPostgres && VERSITYGW !== null
if (VERSITYGW === null) console.warn('Tests of several processes are skipped: `.ci/run` installs versitygw.')

/** Short, because tests wait for leases to expire, but long enough for a busy machine. */
const LEASE_MS = '5000'
/** What a process logs when it begins to write the index. */
const WRITES = 'this process writes the search index now'
const LEAVES = 'another process writes the search index from now on'

export interface Node extends Rest {
  name: string
  daemon: RealDaemon
  signal(signal: NodeJS.Signals): void
  /** True if the process writes the index, as far as it knows. */
  isWriter(): boolean
}

/** The processes of one instance, with their database and their object store. */
export interface Cluster extends AsyncDisposable {
  postgres: RunningPostgres
  store: RunningVersitygw
  /** The environment of a process. */
  env: Record<string, string>
  /** A key for all processes. The first process with the role `api` or `all` makes it. */
  token: string
  /** Starts a process. With the name of an earlier one, it gets the folder of that process. `bin` is the binary of another version. */
  start(role: 'all' | 'api' | 'worker', env?: Record<string, string>, name?: string, bin?: string): Promise<Node>
  nodes: Node[]
  /** Waits until one of the processes writes the index, and returns it. */
  writer(among?: readonly Node[]): Promise<Node>
}

export interface ClusterOptions {
  /** Settings of PostgreSQL, such as `fsync=on`. */
  settings?: readonly string[]
  /** The file for the access log of the store. */
  accessLog?: string
}

export async function startCluster({ settings, ...options }: ClusterOptions = {}): Promise<Cluster> {
  const [postgres, store] = await Promise.all([startPostgres(settings), startVersitygw(options)])
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-cluster-'))
  const nodes: Node[] = []
  let started = 0
  const cluster: Cluster = {
    postgres,
    store,
    env: {
      ...store.env,
      NODE_ENV: 'test',
      DOCSEARCH_DATABASE: await postgres.database(),
      DOCSEARCH_STORE: `s3://${BUCKET}/instance`,
      DOCSEARCH_TEST_LEASE_MS: LEASE_MS,
      DOCSEARCH_EMBEDDER: 'builtin',
      DOCSEARCH_WEBHOOKS_PLAIN_HTTP: 'true',
      DOCSEARCH_WEBHOOKS_PRIVATE_NETWORKS: 'true',
      // Starting a parser takes half a second of processor time.
      DOCSEARCH_PARSE_WORKERS: '1',
    },
    token: '',
    nodes,
    async start(role, env = {}, name = `${role}-${++started}`, bin) {
      const args = ['--role', role]
      const daemon = await startRealDaemon({
        home: join(folder, name),
        args,
        env: { ...cluster.env, ...env },
        ...(bin !== undefined && { bin }),
      })
      if (role !== 'worker') cluster.token ||= await daemon.token()
      const node: Node = {
        ...rest(daemon.url, cluster.token),
        name,
        daemon,
        signal: (signal) => void process.kill(daemon.pid, signal),
        isWriter: () => daemon.stderr().lastIndexOf(WRITES) > daemon.stderr().lastIndexOf(LEAVES),
      }
      nodes.push(node)
      return node
    },
    writer: (among = nodes) => until('a process writes the index', () => among.find((node) => node.isWriter())),
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map(({ daemon }) => daemon.kill()))
      await postgres.stop()
      await store[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return cluster
}
