import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApiKeys } from '../../src/auth/api-keys.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { runCli, startRealDaemon } from '../support/daemon.ts'

test('a running daemon refuses and accepts a key at once after a command on its data folder', async () => {
  const daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  onTestFinished(() => daemon.dispose())
  const records = await openRecords({ file: join(daemon.dataDir, 'docsearch.db'), clock: systemClock, log: silentLogger })
  const ben = await records.users.create({ name: 'Ben', email: 'ben@example.org', role: 'member' })
  const { key } = await createApiKeys({ records, clock: systemClock }).create({
    ownerId: ben.id,
    name: 'k',
    scopes: ['read:documents'],
    expiresAt: null,
  })
  await records.close()
  const status = async () => (await fetch(`${daemon.url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } })).status
  const users = (...args: string[]) => runCli(['users', ...args, ben.email!, '--data', daemon.dataDir], daemon.env)
  expect([await status(), await status()]).toEqual([200, 200])
  expect(await users('disable')).toMatchObject({ code: 0 })
  expect(await status()).toBe(401)
  expect(await users('enable')).toMatchObject({ code: 0 })
  expect(await status()).toBe(200)
  expect(await users('delete', '--yes')).toMatchObject({ code: 0 })
  expect(await status()).toBe(401)
})
