import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Fixed, so that secret scanners and users recognise a key. */
export const KEY_PREFIX = 'dsk_'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6
const SHAPE = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

function checksum(text: string): string {
  let value = crc32(text)
  let out = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    out = ALPHABET.charAt(value % 62) + out
    value = Math.floor(value / 62)
  }
  return out
}

/** Returns a new API key: `dsk_`, 30 random base62 characters (178 bits), and 6 base62 characters of the CRC32 over everything before them. */
export function newApiKey(): string {
  let key = KEY_PREFIX
  for (let i = 0; i < RANDOM_LENGTH; i++) key += ALPHABET.charAt(randomInt(62))
  return key + checksum(key)
}

/** Returns whether shape and checksum are right, so that a mistyped key costs no database query. */
export function isWellFormedApiKey(text: string): boolean {
  if (!SHAPE.test(text)) return false
  const body = text.slice(0, -CHECKSUM_LENGTH)
  return text.slice(-CHECKSUM_LENGTH) === checksum(body)
}
