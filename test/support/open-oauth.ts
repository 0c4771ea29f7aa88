import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { createOAuth } from '../../src/oauth/create.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { tempFolder } from './temp-folder.ts'
import { testClock } from './test-clock.ts'

export const ISSUER = 'https://docs.example.org'

/** The authorization server without HTTP, on a database of its own, for the running test. */
export async function openOAuth() {
  const clock = testClock()
  const records = await openRecords({ file: join(await tempFolder(), 'docsearch.db'), clock, log: silentLogger })
  onTestFinished(() => records.close())
  const oauth = createOAuth({ records, clock, log: silentLogger, issuer: () => ISSUER })
  const user = await records.users.create({ name: 'Alice', email: 'alice@example.org', role: 'owner' })
  return { oauth, records, clock, user }
}
