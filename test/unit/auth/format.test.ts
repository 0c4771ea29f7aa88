import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isWellFormedApiKey, newApiKey } from '../../../src/auth/api-keys.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('a key is dsk_, 30 base62 characters and 6 base62 characters of the CRC32 over them', () => {
  const key = newApiKey()
  expect(key).toMatch(/^dsk_[0-9A-Za-z]{36}$/)
  const value = key
    .slice(-6)
    .split('')
    .reduce((sum, character) => sum * 62 + ALPHABET.indexOf(character), 0)
  expect(value).toBe(crc32(key.slice(0, -6)))
  expect(isWellFormedApiKey(key)).toBe(true)
})

test('makes different keys with every character of the alphabet', () => {
  const keys = Array.from({ length: 500 }, newApiKey)
  expect(new Set(keys).size).toBe(500)
  expect(new Set(keys.flatMap((key) => key.slice(4, 34).split(''))).size).toBe(62)
})

test('refuses a key in which one character was changed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 39 }), fc.constantFrom(...ALPHABET.split('')), (at, character) => {
      const key = newApiKey()
      fc.pre(key[at] !== character)
      expect(isWellFormedApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false)
    }),
  )
})

test.each(['', 'dsk_', 'hello', `${newApiKey()}x`, ` ${newApiKey()}`, newApiKey().replace('dsk_', 'DSK_'), `${newApiKey()}\n`])(
  '%j is none',
  (text) => {
    expect(isWellFormedApiKey(text)).toBe(false)
  },
)
