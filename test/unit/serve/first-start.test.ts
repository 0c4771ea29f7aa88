import { expect, test } from 'vitest'
import { createApiKeys } from '../../../src/auth/api-keys.ts'
import type { CredentialStore } from '../../../src/client/credentials/store.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { ensureLocalKey, ensureOwner } from '../../../src/serve/first-start.ts'
import { tempRecords } from '../../support/temp-records.ts'
import { testClock } from '../../support/test-clock.ts'

test('an instance whose owner has 100 keys starts, and gives the local command line none', async () => {
  const clock = testClock()
  const records = await tempRecords(clock)
  const { owner } = await ensureOwner(records)
  const apiKeys = createApiKeys({ records, clock })
  const remembered: string[] = []
  const credentials = {
    findLocal: async () => null,
    rememberLocal: async ({ token }: { token: string }) => void remembered.push(token),
  } as unknown as CredentialStore
  const start = () =>
    ensureLocalKey({
      owner,
      apiKeys,
      credentials,
      address: 'http://127.0.0.1:1',
      dataDir: '/nowhere',
      mayCreate: true,
      log: silentLogger,
    })

  for (let i = 1; i < 100; i++) await apiKeys.create({ ownerId: owner.id, name: 'k', scopes: [], expiresAt: null })
  await start()
  expect(remembered).toHaveLength(1)
  await start()
  expect(remembered).toHaveLength(1)
})
