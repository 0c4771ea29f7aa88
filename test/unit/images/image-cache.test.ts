import { readdir, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { ImageCache } from '../../../src/images/image-cache.ts'
import { encodePng } from '../../../src/parse/pdf/image/png.ts'
import { tempFolder } from '../../support/temp-folder.ts'

let folder: string
beforeEach(async () => {
  folder = join(await tempFolder(), 'page-images')
})

const image = encodePng({ palette: null, pixels: new Uint8Array(100) }, 10, 10)
const key = (page: number, letter = 'a') => ({ sha256: letter.repeat(64), page, width: 1000 })
/** Each image takes 4,096 bytes. */
const open = (images = 2) => new ImageCache({ folder, maxBytes: images * 4_096, log: silentLogger })
const pagesIn = async (cache: ImageCache) => {
  const found = await Promise.all([1, 2, 3, 4].map(async (page) => ((await cache.get(key(page))) === null ? [] : [page])))
  return found.flat()
}

test('deletes the image that nobody has asked for longest', async () => {
  const cache = open()
  await cache.put(key(1), image)
  await cache.put(key(2), image)
  await cache.get(key(1))
  await cache.put(key(3), image)
  expect([await pagesIn(cache), (await readdir(folder)).length]).toEqual([[1, 3], 2])
  expect((await cache.get(key(1)))!.equals(image)).toBe(true)
})

test('knows the images of the run before, and deletes what a crash left behind', async () => {
  const before = open(3)
  for (const page of [1, 2, 3]) await before.put(key(page), image)
  const long = new Date('2020-01-01')
  await utimes(join(folder, `${'a'.repeat(64)}-2-1000.png`), long, long)
  await writeFile(join(folder, 'half.tmp'), 'half')
  const after = open(2)
  expect([await pagesIn(after), (await readdir(folder)).length]).toEqual([[1, 3], 2])
})

test('does not return a damaged or lost image', async () => {
  const cache = open()
  await cache.put(key(1), image)
  await truncate(join(folder, `${'a'.repeat(64)}-1-1000.png`), 30)
  expect([await cache.get(key(1)), await readdir(folder)]).toEqual([null, []])
  await cache.put(key(1), image)
  expect(await pagesIn(cache)).toEqual([1])
})

test('keeps nothing when it may hold nothing', async () => {
  const cache = open(0)
  await cache.put(key(1), image)
  expect([await cache.get(key(1)), await readdir(folder)]).toEqual([null, []])
})

test('deletes the images of originals that are gone', async () => {
  const cache = open(4)
  await cache.put(key(1), image)
  await cache.put(key(2), image)
  await cache.put(key(1, 'b'), image)
  expect(await cache.sweep(async (sha256) => sha256.startsWith('b'))).toBe(2)
  expect([await cache.get(key(1)), (await cache.get(key(1, 'b'))) === null]).toEqual([null, false])
})

test('a folder that cannot be written costs only the cache', async () => {
  await writeFile(folder, 'a file where the folder should be')
  const cache = open()
  await cache.put(key(1), image)
  expect(await cache.get(key(1))).toBeNull()
})
