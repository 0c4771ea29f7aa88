import { expect, test } from 'vitest'
import { LruCache } from '../../../src/core/lru-cache.ts'

test('forgets what nobody has asked for longest, when there is no room', () => {
  const cache = new LruCache<string>(30)
  for (const key of ['a', 'b', 'c']) cache.set(key, key.toUpperCase(), 10)
  expect(cache.get('a')).toBe('A')
  cache.set('d', 'D', 10)
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual(['A', undefined, 'C', 'D'])
  cache.set('e', 'E', 25)
  expect([cache.count, cache.size]).toEqual([1, 25])
})

test('counts a value once that is set again, and takes none that is too large', () => {
  const cache = new LruCache<number>(100)
  for (let i = 0; i < 50; i++) cache.set('key', i, 60)
  expect([cache.get('key'), cache.size]).toEqual([49, 60])
  cache.set('key', 50, 101)
  expect([cache.get('key'), cache.count, cache.size]).toEqual([undefined, 0, 0])
})
