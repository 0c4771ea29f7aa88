import { expect, test } from 'vitest'
import { probeStore } from '../../src/objects/checks.ts'
import { errorCode } from '../support/codes.ts'
import { startS3rver, startVersitygw, VERSITYGW } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'
import { startStoreProxy } from '../support/store-proxy.ts'

test('refuses a store that ignores conditions', async () => {
  await using server = await startS3rver({ addsConditions: false })
  await expect(probeStore(await openStore(server))).rejects.toMatchObject({
    code: errorCode('store_unusable'),
    message: expect.stringContaining('all of 4 simultaneous writes'),
  })
})

test('refuses a store that checks the condition but is not atomic', async () => {
  await using server = await startS3rver({ addsConditions: false })
  // Checks and writes, but does not take turns.
  await using proxy = await startStoreProxy(server.url, { addsConditions: true, takesTurns: false })
  const store = await openStore({ ...server, env: { ...server.env, AWS_ENDPOINT_URL: proxy.url } })
  await expect(probeStore(store)).rejects.toMatchObject({ code: errorCode('store_unusable') })
})

test('accepts a store with conditional writes, even when answers are lost, and leaves nothing in it', async () => {
  await using server = await startS3rver({ addsConditions: true })
  let requests = 0
  server.proxy.fault = ({ method }) => (method === 'PUT' && ++requests % 5 === 0 ? 'lose' : 'pass')
  const store = await openStore(server)
  await probeStore(store)
  expect((await store.list('').next()).done).toBe(true)
})

test.skipIf(VERSITYGW === null)('accepts versitygw', async () => {
  await using server = await startVersitygw()
  await probeStore(await openStore(server))
})

test('says nothing about a store that does not answer', async () => {
  await using server = await startS3rver({ addsConditions: true })
  const store = await openStore(server)
  server.proxy.fault = () => 'refuse'
  await expect(probeStore(store)).rejects.toMatchObject({ code: errorCode('store_unavailable') })
})
