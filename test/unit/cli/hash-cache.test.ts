import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FoundFile } from '../../../src/cli/files/found.ts'
import { HashCache } from '../../../src/cli/files/hash-cache.ts'
import { testFolder } from '../../support/cli.ts'

const HASH = 'a'.repeat(64)

function fileIn(folder: string, text: string): FoundFile {
  const file = join(folder, 'a.txt')
  writeFileSync(file, text)
  const stats = statSync(file)
  return { file, path: 'notes/a.txt', earlierPath: 'a.txt', name: 'a.txt', size: stats.size, stats, isNamed: false }
}

/** A file that was last touched long ago. The times of a real file can't be set back, since its change of status is the system's. */
function settled(file: FoundFile): FoundFile {
  const stats = Object.assign(Object.create(Object.getPrototypeOf(file.stats) as object), file.stats, {
    mtimeMs: 1e12,
    ctimeMs: 1e12,
  })
  return { ...file, stats }
}

test('keeps the hash of a file until its size, its times or its inode change', async () => {
  const env = { XDG_CACHE_HOME: testFolder() }
  const file = settled(fileIn(testFolder(), 'one'))
  const cache = await HashCache.open(env, '/notes')
  cache.add(file.path, HASH, file.stats!, file.stats!)
  await cache.save()
  const again = await HashCache.open(env, '/notes')
  expect(again.get(file)).toBe(HASH)
  for (const change of [{ size: 4 }, { mtimeMs: 1 }, { ctimeMs: 1 }, { ino: 1 }])
    expect(again.get({ ...file, stats: Object.assign(settled(file).stats!, change) })).toBeUndefined()
  expect((await HashCache.open(env, '/other')).get(file)).toBeUndefined()
})

test('keeps no hash of a file that changed while it was read, or just before', async () => {
  const cache = await HashCache.open({ XDG_CACHE_HOME: testFolder() }, '/notes')
  const fresh = fileIn(testFolder(), 'one')
  cache.add(fresh.path, HASH, fresh.stats!, fresh.stats!)
  expect(cache.get(fresh)).toBeUndefined()
  const old = settled(fresh)
  cache.add(old.path, HASH, old.stats!, fresh.stats!)
  expect(cache.get(old)).toBeUndefined()
})

test('drops the files that are gone, and starts empty when its file is damaged', async () => {
  const env = { XDG_CACHE_HOME: testFolder() }
  const file = settled(fileIn(testFolder(), 'one'))
  const cache = await HashCache.open(env, '/notes')
  cache.add(file.path, HASH, file.stats!, file.stats!)
  await cache.save()
  await (await HashCache.open(env, '/notes')).save()
  expect((await HashCache.open(env, '/notes')).get(file)).toBeUndefined()
  const folder = join(env.XDG_CACHE_HOME, 'docsearch', 'sync')
  for (const damage of ['{"version":1,"files":{"notes/a.txt":7}}', '{"version":1', '[]', '{"version":1}']) {
    mkdirSync(folder, { recursive: true })
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), damage)
    const damaged = await HashCache.open(env, '/notes')
    expect(damaged.get(file)).toBeUndefined()
    damaged.add(file.path, HASH, file.stats!, file.stats!)
    await damaged.save()
    expect((await HashCache.open(env, '/notes')).get(file)).toBe(HASH)
  }
})
