import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { systemClock } from '../../src/core/clock.ts'
import { type Logger, silentLogger } from '../../src/core/logger.ts'
import { DEFAULT_OAUTH_POLICY } from '../../src/core/oauth-policy.ts'
import { oauthRoutes } from '../../src/http/oauth/routes.ts'
import type { State } from '../../src/http/routing/context.ts'
import type { Dependencies } from '../../src/http/dependencies.ts'
import { rateLimits } from '../../src/http/middleware/rate-limit.ts'
import { apiRouter } from '../../src/http/routing/router.ts'
import { createOAuth } from '../../src/oauth/create.ts'
import { openDatabase } from './open-database.ts'

/**
 * A process that serves the OAuth endpoints on the database in its first argument, so that several processes can share a database; the real
 * daemon allows no second one on its data folder. Prints its address.
 */
const clock = systemClock
const log: Logger = { ...silentLogger, child: () => log, error: (fields) => console.error(fields) }
const records = await openDatabase(process.argv[2] ?? '', { clock, log })
const oauth = createOAuth({ records, clock, log, issuer: () => 'http://127.0.0.1', policy: DEFAULT_OAUTH_POLICY })
const settings = {
  baseUrl: () => 'http://127.0.0.1',
  allowedHosts: [],
  trustProxy: false,
  rateLimit: 0,
  stopping: new AbortController().signal,
}
const app = new Koa<State>()
// Tests call only the OAuth endpoints, which need only these parts.
const parts = { settings, log } as unknown as Dependencies
for (const step of apiRouter(oauthRoutes({ oauth }), parts, rateLimits(parts.settings))) app.use(step)
const server = app.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
)
