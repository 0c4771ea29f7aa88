import { silentLogger } from '../../src/core/logger.ts'
import { DEFAULT_OAUTH_POLICY } from '../../src/core/oauth-policy.ts'
import { createOAuth } from '../../src/oauth/create.ts'
import { tempRecords } from './temp-records.ts'
import { testClock } from './test-clock.ts'

export const ISSUER = 'https://docs.example.org'

/** Creates the authorization server without HTTP, with records in a temporary file. */
export async function openOAuth() {
  const clock = testClock()
  const records = await tempRecords(clock)
  const oauth = createOAuth({ records, clock, log: silentLogger, issuer: () => ISSUER, policy: DEFAULT_OAUTH_POLICY })
  const user = await records.users.create({ name: 'Alice', email: 'alice@example.org', role: 'owner' })
  return { oauth, records, clock, user }
}
