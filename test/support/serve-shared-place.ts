// Runs a PostgreSQL server and an object store for tests of HTTP on several processes, and prints the variable with which these tests use them:
//   node test/support/serve-shared-place.ts
//   DOCSEARCH_TEST_SHARED='…' npx vitest run test/http/trash.test.ts
import { once } from 'node:events'
import { startVersitygw } from './object-stores.ts'
import { startPostgres } from './postgres-server.ts'

const [postgres, store] = await Promise.all([startPostgres(), startVersitygw()])
process.stdout.write(`DOCSEARCH_TEST_SHARED='${JSON.stringify({ admin: postgres.admin, env: store.env })}'\n`)
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await postgres.stop()
await store[Symbol.asyncDispose]()
