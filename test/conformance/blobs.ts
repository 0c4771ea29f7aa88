import { createHash, randomUUID } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import type { Blobs } from '../../src/blobs/blobs.ts'
import { testClock, type TestClock } from '../support/test-clock.ts'
import { errorCode } from '../support/codes.ts'

const HOUR = 3_600_000

/** Tests that every implementation of Blobs passes. */
export function blobsConformance(open: (clock: TestClock) => Promise<Blobs>): void {
  let clock: TestClock
  let blobs: Blobs
  beforeEach(async () => {
    // An object store has a clock of its own.
    clock = testClock(new Date().toISOString())
    blobs = await open(clock)
  })

  async function receive(content: string | Buffer): Promise<{ file: string; sha256: string }> {
    const file = join(blobs.incoming, randomUUID())
    await writeFile(file, content)
    return { file, sha256: createHash('sha256').update(content).digest('hex') }
  }
  async function store(content: string | Buffer): Promise<string> {
    const { file, sha256 } = await receive(content)
    await blobs.put(file, sha256)
    return sha256
  }

  test('reads a stored original as a file, as a stream and in part, and empties the incoming folder', async () => {
    const { file, sha256 } = await receive('0123456789')
    await blobs.put(file, sha256)
    expect(await blobs.withFile(sha256, (path) => readFile(path, 'utf8'))).toBe('0123456789')
    expect(String(await buffer(await blobs.open(sha256)))).toBe('0123456789')
    expect(String(await buffer(await blobs.open(sha256, { start: 2, end: 4 })))).toBe('234')
    expect(await blobs.size(sha256)).toBe(10)
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('passes on what the work with a file returns or throws', async () => {
    const sha256 = await store('file')
    expect(await blobs.withFile(sha256, async () => 'done')).toBe('done')
    await expect(blobs.withFile(sha256, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })

  test('stores the same bytes once, also when two uploads bring them at the same time', async () => {
    const both = await Promise.all([receive('same'), receive('same')])
    await Promise.all(both.map(({ file, sha256 }) => blobs.put(file, sha256)))
    expect(await blobs.size(both[0].sha256)).toBe(4)
  })

  test('throws blob_missing for an unknown hash', async () => {
    const unknown = 'f'.repeat(64)
    const reads = [() => blobs.open(unknown), () => blobs.size(unknown), () => blobs.withFile(unknown, async () => {})]
    for (const read of reads) await expect(read()).rejects.toMatchObject({ code: errorCode('blob_missing') })
  })

  test('verifies an original by its hash, part by part', async () => {
    const sha256 = await store('0123456789')
    let read = 0
    expect(await blobs.verify({ sha256, sizeBytes: 10 }, async (bytes) => void (read += bytes))).toBeNull()
    expect(read).toBe(10)
    expect(await blobs.verify({ sha256: 'f'.repeat(64), sizeBytes: 10 })).toBe('missing')
  })

  test('a sweep deletes only originals that no document refers to', async () => {
    const used = await store('used')
    const unused = await store('unused')
    clock.advance(HOUR)
    expect(await blobs.sweep(async (sha256) => sha256 === used)).toBe(1)
    expect(await blobs.size(used)).toBe(4)
    await expect(blobs.size(unused)).rejects.toMatchObject({ code: errorCode('blob_missing') })
  })

  test('a sweep keeps an original that was just stored, because its document is not committed yet', async () => {
    await store('new')
    expect(await blobs.sweep(async () => false)).toBe(0)
  })

  test('a sweep keeps bytes that are stored again while it runs', async () => {
    const sha256 = await store('again')
    clock.advance(HOUR)
    const again = await receive('again')
    let storing: Promise<void> = Promise.resolve()
    await blobs.sweep(async () => {
      storing = blobs.put(again.file, sha256)
      return false
    })
    await storing
    expect(await blobs.size(sha256)).toBe(5)
  })
}
