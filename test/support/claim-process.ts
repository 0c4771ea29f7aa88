// A process on a database that other processes use too. Prints `ready`, waits for a line, tries to claim the same thing many
// times at once, and prints which attempts succeeded. Arguments: database, what to claim, attempts.
import { once } from 'node:events'
import { systemClock } from '../../src/core/clock.ts'
import { silentLogger } from '../../src/core/logger.ts'
import type { NewTokens } from '../../src/records/oauth.ts'
import type { Records } from '../../src/records/records.ts'
import { openRecords } from '../../src/records/sql/open.ts'

const CLAIMS: Record<string, (records: Records, mark: string) => Promise<unknown>> = {
  code: (records, mark) => records.oauth.codes.redeem('the code', tokens(mark)),
  refresh: (records, mark) => records.oauth.grants.refresh('the refresh token', 'app', tokens(mark)),
  device: (records, mark) => records.oauth.devices.redeem('the device code', tokens(mark)),
  link: (records, mark) => records.links.claim('the link', { passwordHash: mark }),
}

function tokens(mark: string): NewTokens {
  const expiresAt = new Date(Date.now() + 600_000)
  return { access: { sha256: `access ${mark}`, expiresAt }, refresh: { sha256: `refresh ${mark}`, expiresAt }, scopes: [] }
}

const [file = '', what = '', attempts = ''] = process.argv.slice(2)
const records = await openRecords({ file, clock: systemClock, log: silentLogger })
console.log('ready')
await once(process.stdin, 'data')
process.stdin.destroy()
const marks = Array.from({ length: Number(attempts) }, (_, i) => `${process.pid} ${i}`)
const results = await Promise.all(marks.map((mark) => CLAIMS[what]!(records, mark)))
console.log(JSON.stringify(marks.filter((_, i) => results[i] !== null)))
await records.close()
