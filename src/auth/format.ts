import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Fixed, so that secret scanners and people know a key when they see one. */
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

/** A new API key: `dsk_`, 30 random base62 characters (178 bits), 6 of the CRC32 over what precedes them. */
export function newApiKey(): string {
  let key = KEY_PREFIX
  for (let i = 0; i < RANDOM_LENGTH; i++) key += ALPHABET.charAt(randomInt(62))
  return key + checksum(key)
}

/** True when shape and checksum are right: a mistyped key costs no look-up in the database. */
export function isWellFormedApiKey(text: string): boolean {
  if (!SHAPE.test(text)) return false
  const body = text.slice(0, -CHECKSUM_LENGTH)
  return text.slice(-CHECKSUM_LENGTH) === checksum(body)
}
