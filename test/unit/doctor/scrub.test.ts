import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readBlobs } from '../../../src/blobs/files.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { Scrub } from '../../../src/doctor/scrub.ts'
import type { Records } from '../../../src/records/records.ts'
import { tempRecords } from '../../support/temp-records.ts'
import { testClock, type TestClock } from '../../support/test-clock.ts'

const DAY_MS = 86_400_000

let folder: string
let clock: TestClock
let records: Records
let projectId: string
let uploaderId: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docsearch-scrub-'))
  clock = testClock()
  records = await tempRecords(clock)
  uploaderId = (await records.users.create({ name: 'Alice', email: null, role: 'owner' })).id
  projectId = (await records.projects.create({ ownerId: uploaderId, name: 'default', description: '' })).id
})
afterEach(() => rmSync(folder, { recursive: true }))

const fileOf = (sha256: string) => join(folder, 'blobs', sha256.slice(0, 2), sha256.slice(2))

/** Stores an original and its document, which is not in the queue any more. */
async function add(text: string): Promise<string> {
  const sha256 = createHash('sha256').update(text).digest('hex')
  mkdirSync(dirname(fileOf(sha256)), { recursive: true })
  writeFileSync(fileOf(sha256), text)
  const file = { name: text, path: text, mediaType: 'text/plain', sizeBytes: text.length, sha256, tags: null }
  await records.documents.register({ uploaderId, projectId, ...file }, 'replace')
  for (const job of await records.queue.claim(10)) await records.queue.fail(job, { code: 'internal_error', message: '' })
  return sha256
}

const scrubIndex = async (_onRead: () => Promise<void>): Promise<void> => {}

/** `onPause` is called after each part of a file, and while the queue has work. */
function scrub(onPause: () => unknown = () => {}, days = 30): Scrub {
  return new Scrub({
    blobs: readBlobs(folder),
    records,
    scrubIndex,
    days,
    clock,
    log: silentLogger,
    pause: async () => {
      await onPause()
    },
  })
}

async function run(onPause?: () => unknown): Promise<Scrub> {
  const running = scrub(onPause)
  running.start()
  await running.idle()
  await running.stop()
  return running
}

test('finds damaged originals, and notices when they are intact again', async () => {
  const [good, cut, gone] = [await add('good'), await add('cut off'), await add('gone')]
  writeFileSync(fileOf(cut), 'cut')
  rmSync(fileOf(gone))
  const first = await run()
  const found = (await records.originals.damaged()).map(({ sha256, damage }) => `${sha256} ${damage}`)
  expect(found.toSorted()).toEqual([`${cut} cut_off`, `${gone} missing`].toSorted())
  expect(await first.state()).toMatchObject({ status: 'degraded', damaged: 2 })
  expect(await records.originals.damagedAmong([good])).toEqual(new Set())

  writeFileSync(fileOf(cut), 'cut off')
  writeFileSync(fileOf(gone), 'gone')
  clock.advance(31 * DAY_MS)
  const second = await run()
  expect(await second.state()).toMatchObject({ status: 'ok', damaged: 0, checkedAt: clock.now() })
})

test('reads each original once in a round, and begins the next round only when it is due', async () => {
  await add('one')
  await run()
  const ended = await records.originals.progress()
  expect(ended).toMatchObject({ after: null, checked: 1 })
  clock.advance(29 * DAY_MS)
  await run(() => expect.unreachable('nothing is due'))
  expect(await records.originals.progress()).toEqual(ended)
  clock.advance(2 * DAY_MS)
  let pauses = 0
  await run(() => pauses++)
  expect(pauses).toBe(1)
})

test('resumes after a restart', async () => {
  for (let i = 0; i < 5; i++) await add(`file ${i}`)
  const before: Scrub = scrub(async () => {
    // Stops within the third file.
    if (++parts === 3) void before.stop()
  })
  let parts = 0
  before.start()
  await before.idle()
  expect(await records.originals.progress()).toMatchObject({ checked: 2, finishedAt: null })
  let read = 0
  await run(() => read++)
  expect(read).toBe(3)
  expect(await records.originals.progress()).toMatchObject({ checked: 5, after: null, finishedAt: clock.now() })
})

test('waits while documents are in progress', async () => {
  await add('one')
  const file = { name: 'two', path: 'two', mediaType: 'text/plain', sizeBytes: 3, sha256: 'f'.repeat(64), tags: null }
  const { document } = await records.documents.register({ uploaderId, projectId, ...file }, 'replace')
  let waited = 0
  await run(async () => {
    if (++waited === 3) await records.documents.delete(new Set([projectId]), document.id)
  })
  // Three pauses for the queue, and one for the part of the file.
  expect(waited).toBe(4)
})

test('reads nothing when it is off', async () => {
  await add('one')
  const off = scrub(() => expect.unreachable('it is off'), 0)
  off.start()
  await off.idle()
  expect(await records.originals.progress()).toBeNull()
  expect((await off.state()).message).toContain('off')
})
