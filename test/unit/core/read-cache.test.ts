import { expect, test } from 'vitest'
import { ReadCache } from '../../../src/core/read-cache.ts'
import { until } from '../../support/until.ts'

test('forgets the oldest values when the values are too large together, and all values after a change', async () => {
  let version = 0
  const reads: string[] = []
  const cache = new ReadCache<number>(
    () => version,
    10,
    (size) => size,
  )
  const get = (key: string, value: number) =>
    cache.get(key, async () => {
      reads.push(key)
      return value
    })
  await get('a', 4)
  await get('b', 6)
  expect([await get('a', 4), await get('b', 6)]).toEqual([4, 6])
  expect(reads.splice(0)).toEqual(['a', 'b'])
  await get('c', 5)
  await get('c', 5)
  await get('b', 6)
  expect(reads.splice(0)).toEqual(['c', 'b'])
  // A value that is too large for the whole cache is read each time.
  for (let i = 0; i < 2; i++) expect(await get('large', 11)).toBe(11)
  expect(reads.splice(0)).toEqual(['large', 'large'])
  await get('a', 4)
  version = 1
  await get('a', 4)
  expect(reads).toEqual(['a', 'a'])
})

test('a value from before a change is not remembered, even if two callers learn of the change at the same time', async () => {
  const versions: PromiseWithResolvers<number>[] = []
  const cache = new ReadCache<string>(() => {
    versions.push(Promise.withResolvers<number>())
    return versions.at(-1)!.promise
  }, 10)
  const answer = (version: number) => versions.shift()!.resolve(version)
  const first = cache.get('key', async () => 'old')
  answer(1)
  await until('the value is read', () => versions.length === 1)
  const second = cache.get('other', async () => undefined)
  answer(1)
  answer(2)
  expect(await first).toBe('old')
  await until('the other value is read', () => versions.length === 1)
  answer(2)
  await second
  const third = cache.get('key', async () => 'new')
  answer(2)
  await until('the value is read', () => versions.length === 1)
  answer(2)
  expect(await third).toBe('new')
})
