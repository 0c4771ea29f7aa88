import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import type { ByteRange, ObjectStore, StoredObject } from '../../src/objects/object-store.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Tests that every object store must pass before docsearch accepts it. `open` returns an empty store. */
export function objectStoreConformance(open: () => Promise<ObjectStore>): void {
  let store: ObjectStore
  beforeEach(async () => {
    store = await open()
  })

  const bytes = (text: string) => Buffer.from(text)
  async function read(key: string, range?: ByteRange): Promise<string | null> {
    const found = await store.read(key, range)
    return found && String(await buffer(found.stream))
  }
  async function keys(prefix: string, after?: string): Promise<string[]> {
    const found: string[] = []
    for await (const { key } of store.list(prefix, after)) found.push(key)
    return found
  }

  test('reads stored bytes, completely and in part', async () => {
    await store.put('a/b', bytes('0123456789'))
    expect(await read('a/b')).toBe('0123456789')
    expect(await read('a/b', { start: 2, end: 4 })).toBe('234')
    expect((await store.read('a/b', { start: 3, end: 3 }))!.size).toBe(10)
    expect(await store.find('a/b')).toMatchObject({ key: 'a/b', size: 10 })
  })

  test('stores a file, even a large or an empty one', async () => {
    for (const content of [randomBytes(9_000_001), Buffer.alloc(0)]) {
      const path = join(await tempFolder(), 'file')
      await writeFile(path, content)
      await store.putFile('file', { path, size: content.length, sha256: createHash('sha256').update(content).digest('hex') })
      expect((await buffer((await store.read('file'))!.stream)).equals(content)).toBe(true)
    }
  })

  test('replaces an object', async () => {
    await store.put('key', bytes('old and long'))
    await store.put('key', bytes('new'))
    expect(await read('key')).toBe('new')
  })

  test('reports that an object is not there', async () => {
    expect(await store.read('nothing')).toBeNull()
    expect(await store.find('nothing')).toBeNull()
    expect(store.state().status).toBe('ok')
  })

  test('deletes an object, and ignores one that is not there', async () => {
    await store.put('key', bytes('1'))
    await store.delete('key')
    await store.delete('key')
    expect(await store.find('key')).toBeNull()
  })

  test('carries out one of several simultaneous creations of a key', async () => {
    const created = await Promise.all(Array.from({ length: 8 }, (_, i) => store.create('key', bytes(`writer ${i}`))))
    expect(created.filter(Boolean)).toHaveLength(1)
    expect(await read('key')).toBe(`writer ${created.indexOf(true)}`)
    expect(await store.create('key', bytes('late'))).toBe(false)
  })

  test('lists the objects below a prefix in order, from a key on', async () => {
    for (const key of ['p/c', 'p/a', 'p/b/2', 'p/b/1', 'q/x']) await store.put(key, bytes(key))
    expect(await keys('p/')).toEqual(['p/a', 'p/b/1', 'p/b/2', 'p/c'])
    expect(await keys('p/', 'p/b/1')).toEqual(['p/b/2', 'p/c'])
    expect(await keys('none/')).toEqual([])
    const { value: first } = (await store.list('p/a').next()) as { value: StoredObject }
    expect(first.size).toBe(3)
    expect(Math.abs(first.modifiedAt.getTime() - Date.now())).toBeLessThan(600_000)
  })
}
