import { canCluster } from './cluster.ts'
import { startVersitygw } from './object-stores.ts'
import { startPostgres } from './postgres-server.ts'

/** Vitest's global setup for `npm run test:shared`. Starts the servers on which `startTestApp` then opens its instances. */
export default async function startSharedServers(): Promise<() => Promise<void>> {
  if (!canCluster) throw new Error('These tests need PostgreSQL and versitygw. `.ci/run` installs both.')
  const [postgres, store] = await Promise.all([startPostgres(), startVersitygw()])
  process.env['DOCSEARCH_TEST_SHARED'] = JSON.stringify({ admin: postgres.admin, env: store.env })
  return async () => {
    await postgres.stop()
    await store[Symbol.asyncDispose]()
  }
}
