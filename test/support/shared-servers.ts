import { canCluster } from './cluster.ts'
import { startVersitygw } from './object-stores.ts'
import { startPostgres } from './postgres-server.ts'

export interface SharedServers {
  /** The value of DOCSEARCH_TEST_SHARED with which `startTestApp` opens instances on these servers. */
  variable: string
  stop(): Promise<void>
}

/** Starts a PostgreSQL server and an object store. */
export async function startSharedServers(): Promise<SharedServers> {
  const [postgres, store] = await Promise.all([startPostgres(), startVersitygw()])
  return {
    variable: JSON.stringify({ admin: postgres.admin, env: store.env }),
    async stop() {
      await postgres.stop()
      await store[Symbol.asyncDispose]()
    },
  }
}

/** Vitest's global setup for `npm run test:shared`. */
export default async function startForAllTests(): Promise<() => Promise<void>> {
  if (!canCluster) throw new Error('These tests need PostgreSQL and versitygw. `.ci/run` installs both.')
  const { variable, stop } = await startSharedServers()
  process.env['DOCSEARCH_TEST_SHARED'] = variable
  return stop
}
