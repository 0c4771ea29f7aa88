import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { systemClock } from '../../src/core/clock.ts'
import { type Logger, silentLogger } from '../../src/core/logger.ts'
import { oauthRoutes } from '../../src/http/oauth/routes.ts'
import type { State } from '../../src/http/routing/context.ts'
import type { Dependencies } from '../../src/http/dependencies.ts'
import { apiRouter } from '../../src/http/routing/router.ts'
import { createOAuth } from '../../src/oauth/create.ts'
import { openRecords } from '../../src/records/sql/open.ts'

/**
 * A process that serves the OAuth endpoints over the database at its first argument, beside others that do the same; the real daemon lets no second one
 * at its data folder. Prints its address.
 */
const clock = systemClock
const log: Logger = { ...silentLogger, child: () => log, error: (fields) => console.error(fields) }
const records = await openRecords({ file: process.argv[2] ?? '', clock, log })
const oauth = createOAuth({ records, clock, log, issuer: () => 'http://127.0.0.1' })
const settings = {
  baseUrl: () => 'http://127.0.0.1',
  allowedHosts: [],
  trustProxy: false,
  rateLimit: 0,
  stopping: new AbortController().signal,
}
const app = new Koa<State>()
// Nothing but the OAuth endpoints is asked for, and these need no more.
for (const step of apiRouter(oauthRoutes({ oauth }), { settings, log } as unknown as Dependencies)) app.use(step)
const server = app.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
)
