import { randomBytes } from 'node:crypto'
import { onTestFinished, vi } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import type { ObjectStore } from '../../src/objects/object-store.ts'
import { openS3 } from '../../src/objects/s3/open.ts'
import type { Timing } from '../../src/objects/s3/requests.ts'
import { BUCKET, type TestStore } from './object-stores.ts'

/** Opens a running store for the current test, by default an empty part of the store. */
export async function openStore(
  { env }: Pick<TestStore, 'env'>,
  timing: Partial<Timing> = {},
  address = `s3://${BUCKET}/${randomBytes(6).toString('hex')}`,
): Promise<ObjectStore> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const store = await openS3({ address, log: silentLogger, timing: { pauseMs: 5, ...timing } })
  onTestFinished(() => {
    store.close()
    vi.unstubAllEnvs()
  })
  return store
}
