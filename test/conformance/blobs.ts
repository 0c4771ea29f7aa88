import { createHash, randomUUID } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import type { Blobs } from '../../src/blobs/blobs.ts'
import { testClock, type TestClock } from '../support/test-clock.ts'

const HOUR = 3_600_000

/** What every implementation of Blobs has to do. */
export function blobsConformance(open: (clock: TestClock) => Promise<Blobs>): void {
  let clock: TestClock
  let blobs: Blobs
  beforeEach(async () => {
    clock = testClock()
    blobs = await open(clock)
  })

  async function receive(content: string | Buffer): Promise<{ file: string; sha256: string }> {
    const file = join(blobs.incoming, randomUUID())
    await writeFile(file, content)
    return { file, sha256: createHash('sha256').update(content).digest('hex') }
  }
  async function keep(content: string | Buffer): Promise<string> {
    const { file, sha256 } = await receive(content)
    await blobs.adopt(file, sha256)
    return sha256
  }

  test('what was adopted can be read, by path, whole and in part, and has left the incoming folder', async () => {
    const { file, sha256 } = await receive('0123456789')
    await blobs.adopt(file, sha256)
    expect(await readFile(await blobs.path(sha256), 'utf8')).toBe('0123456789')
    expect(String(await buffer(await blobs.open(sha256)))).toBe('0123456789')
    expect(String(await buffer(await blobs.open(sha256, { start: 2, end: 4 })))).toBe('234')
    expect(await blobs.size(sha256)).toBe(10)
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('the same bytes twice, also at once, are one original', async () => {
    const both = await Promise.all([receive('same'), receive('same')])
    await Promise.all(both.map(({ file, sha256 }) => blobs.adopt(file, sha256)))
    expect(await blobs.size(both[0].sha256)).toBe(4)
  })

  test('one that is not there is named so', async () => {
    const none = 'f'.repeat(64)
    for (const ask of [blobs.path, blobs.open, blobs.size])
      await expect(ask(none)).rejects.toMatchObject({ code: 'blob_missing' })
  })

  test('a sweep takes what nobody refers to, and leaves the rest', async () => {
    const used = await keep('used')
    const unused = await keep('unused')
    clock.advance(HOUR)
    expect(await blobs.sweep(async (sha256) => sha256 === used)).toBe(1)
    expect(await blobs.size(used)).toBe(4)
    await expect(blobs.size(unused)).rejects.toMatchObject({ code: 'blob_missing' })
  })

  test('a sweep leaves what has just been adopted, its document is about to be written', async () => {
    const sha256 = await keep('new')
    expect(await blobs.sweep(async () => false)).toBe(0)
    clock.advance(HOUR)
    // The same bytes come again while the sweep asks.
    const again = await receive('new')
    let adopting: Promise<void> = Promise.resolve()
    await blobs.sweep(async () => {
      adopting = blobs.adopt(again.file, sha256)
      return false
    })
    await adopting
    expect(await blobs.size(sha256)).toBe(3)
  })
}
