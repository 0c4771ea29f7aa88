import { createHash } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Blobs } from '../../src/blobs/blobs.ts'
import { copyOriginals, type CopyOptions } from '../../src/blobs/copy.ts'
import { openBlobs } from '../../src/blobs/files.ts'
import { openObjectBlobs } from '../../src/blobs/objects.ts'
import { errorCode } from '../support/codes.ts'
import { startS3rver, type TestStore } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testClock } from '../support/test-clock.ts'

let server: TestStore

beforeAll(async () => {
  server = await startS3rver({ addsConditions: true })
})
afterAll(() => server[Symbol.asyncDispose]())
afterEach(() => {
  server.proxy.fault = () => 'pass'
})

const clock = testClock()

async function blobsInFolder(): Promise<{ blobs: Blobs; folder: string }> {
  const folder = await tempFolder()
  return { folder, blobs: await openBlobs({ folder, clock }) }
}

async function blobsInStore(): Promise<Blobs> {
  return openObjectBlobs({ store: await openStore(server), folder: await tempFolder(), cacheBytes: 1_000 })
}

const sha256Of = (content: string) => createHash('sha256').update(content).digest('hex')

async function put(blobs: Blobs, content: string) {
  const file = join(blobs.incoming, 'file')
  await writeFile(file, content)
  const sha256 = sha256Of(content)
  await blobs.put(file, sha256)
  return { sha256, sizeBytes: content.length }
}

const CONTENTS = Array.from({ length: 9 }, (_, i) => `original ${i}`)

/** Returns which originals were new, and which the target had. */
async function copy(
  originals: Awaited<ReturnType<typeof put>>[],
  places: Pick<CopyOptions, 'from' | 'to'>,
  signal = new AbortController().signal,
) {
  const copied = { new: 0, there: 0 }
  const failed = await copyOriginals(originals, {
    ...places,
    signal,
    onCopied: (_, isNew) => (copied[isNew ? 'new' : 'there'] += 1),
  })
  return { ...copied, failed }
}

test('originals keep their bytes on the way to the store and back', async () => {
  const [{ blobs: from }, store, { blobs: back }] = [await blobsInFolder(), await blobsInStore(), await blobsInFolder()]
  const originals = []
  for (const content of CONTENTS) originals.push(await put(from, content))
  expect(await copy(originals, { from, to: store })).toEqual({ new: 9, there: 0, failed: [] })
  expect(await copy(originals, { from: store, to: back })).toEqual({ new: 9, there: 0, failed: [] })
  for (const content of CONTENTS) expect(await text(await back.open(sha256Of(content)))).toBe(content)
  for (const { incoming } of [from, store, back]) expect(await readdir(incoming)).toEqual([])
})

test('an interrupted copy continues where it stopped', async () => {
  const [{ blobs: from }, to] = [await blobsInFolder(), await blobsInStore()]
  const originals = []
  for (const content of CONTENTS) originals.push(await put(from, content))
  let puts = 0
  server.proxy.fault = ({ method }) => (method === 'PUT' && (puts += 1) > 3 ? 'refuse' : 'pass')
  await expect(copy(originals, { from, to })).rejects.toMatchObject({ code: errorCode('store_unavailable') })
  server.proxy.fault = () => 'pass'
  const again = await copy(originals, { from, to })
  expect(again.failed).toEqual([])
  expect(again.there).toBeGreaterThanOrEqual(3)
  expect(again.new + again.there).toBe(9)
})

test('names originals that are missing or damaged, and copies all others', async () => {
  const [{ blobs: from, folder }, to] = [await blobsInFolder(), await blobsInStore()]
  const [damaged, whole] = [await put(from, 'damaged'), await put(from, 'whole')]
  const missing = { sha256: sha256Of('missing'), sizeBytes: 7 }
  await writeFile(join(folder, 'blobs', damaged.sha256.slice(0, 2), damaged.sha256.slice(2)), 'demaged')
  const { failed, ...copied } = await copy([damaged, missing, whole], { from, to })
  expect(failed).toEqual([damaged.sha256, missing.sha256].sort())
  expect(copied).toEqual({ new: 1, there: 0 })
  await expect(to.size(damaged.sha256)).rejects.toMatchObject({ code: errorCode('blob_missing') })
})

test('a copy stops when its signal aborts', async () => {
  const [{ blobs: from }, to] = [await blobsInFolder(), await blobsInStore()]
  const original = await put(from, 'late')
  const reason = new Error('cancelled')
  await expect(copy([original], { from, to }, AbortSignal.abort(reason))).rejects.toBe(reason)
})
