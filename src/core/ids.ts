import { randomBytes } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** The readable prefix of each kind of id. */
export type IdPrefix =
  | 'usr'
  | 'prj'
  | 'doc'
  | 'chk'
  | 'key'
  | 'req'
  | 'set'
  | 'gen'
  | 'app'
  | 'gnt'
  | 'tok'
  | 'ses'
  | 'syn'
  | 'sea'
  | 'whk'
  | 'msg'
  | 'bak'

function encode(value: bigint, length: number): string {
  let out = ''
  for (let i = 0; i < length; i++) {
    out = ALPHABET[Number(value & 31n)] + out
    value >>= 5n
  }
  return out
}

/**
 * Returns a new opaque id such as `doc_01h…`: 48 bits of milliseconds, then 80 random bits (the layout of a ULID).
 * Ids sort by creation time, and one id does not help to guess another.
 */
export function newId(prefix: IdPrefix, now: Date): string {
  const time = BigInt(now.getTime())
  const random = BigInt('0x' + randomBytes(10).toString('hex'))
  return `${prefix}_${encode(time, 10)}${encode(random, 16)}`
}

/** The shortest end of an id that may stand for it. */
export const MIN_ID_SUFFIX = 6

/** Returns whether the text may be the end of an id, as the command line shows it. */
export function isIdSuffix(text: string): boolean {
  return /^[0-9a-hjkmnp-tv-z]{6,26}$/.test(text)
}

/** Returns whether the text has the form of a project's id. A project can be named by its id or its name, so no name may have this form. */
export function isProjectId(text: string): boolean {
  return /^prj_[0-9a-z]{26}$/.test(text)
}
