import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { copyTar, writeTarFile } from '../../../src/backup/file-target.ts'
import { makeBackup } from '../../support/make-backup.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** Yields a backup in parts, and calls `between` after each. Ends with a pause for ever, like a slow instance. */
async function* slowly(between: () => void): AsyncGenerator<Buffer> {
  const tar = await makeBackup({ originals: ['x'.repeat(1_000_000)] })
  for (let at = 0; at < tar.length - 2_000; at += 20_000) {
    yield tar.subarray(at, at + 20_000)
    between()
  }
  await new Promise(() => {})
}

test.each([1, 5, 20])('a backup that is cancelled after %i parts ends, and leaves no file', async (parts) => {
  const folder = await tempFolder()
  const cancelling = new AbortController()
  let seen = 0
  const source = Readable.from(
    slowly(() => {
      if (++seen === parts) cancelling.abort()
    }),
  )
  const writing = writeTarFile(source, join(folder, 'backup.tar'), { force: false, signal: cancelling.signal })
  await expect(writing).rejects.toMatchObject({ name: 'AbortError' })
  expect(source.destroyed).toBe(true)
  expect(readdirSync(folder)).toEqual([])
})

test('a backup whose reader reads nothing can be cancelled', async () => {
  const cancelling = new AbortController()
  const stuck = new PassThrough()
  const source = Readable.from(slowly(() => {}))
  const copying = copyTar(source, stuck, { end: false, signal: cancelling.signal })
  while (!stuck.writableNeedDrain) await new Promise((resolve) => setImmediate(resolve))
  cancelling.abort()
  await expect(copying).rejects.toMatchObject({ name: 'AbortError' })
})
