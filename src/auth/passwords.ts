import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import pLimit from 'p-limit'
import { DocsearchError } from '../core/errors.ts'

/** The cost of argon2id (RFC 9106): `passes` over `memoryKiB`, which the `parallelism` lanes share. */
export interface PasswordCost {
  memoryKiB: number
  passes: number
  parallelism: number
}

/** The smallest cost that OWASP recommends (Password Storage Cheat Sheet): 19 MiB, about 30 ms. */
export const PASSWORD_COST: PasswordCost = { memoryKiB: 19 * 1024, passes: 2, parallelism: 1 }

const SALT_BYTES = 16
const HASH_BYTES = 32
/** A burst of logins waits instead of taking all memory and every thread. */
const MAX_CONCURRENT = 2
/** The last login in line waits about two seconds. Only an attack from many addresses makes more logins wait. */
const MAX_WAITING = 100
const ARGON2_VERSION = 19
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const derive = promisify(argon2)

export interface Passwords {
  /** Returns a PHC string: algorithm, cost, salt and hash. */
  hash(password: string): Promise<string>
  /**
   * Returns whether the password matches. Without a hash (no such account, no password yet) it returns false after the same time.
   * Throws if `phc` is no PHC string of argon2id.
   */
  verify(password: string, phc: string | null): Promise<boolean>
  /** Returns whether the hash has another cost than the current one. A login then replaces it, because it has the password. */
  isOutdated(phc: string): boolean
}

export function createPasswords(cost: PasswordCost = PASSWORD_COST): Passwords {
  const limit = pLimit(MAX_CONCURRENT)

  const run = (password: string, salt: Buffer, { memoryKiB, passes, parallelism }: PasswordCost, tagLength: number) => {
    if (limit.pendingCount >= MAX_WAITING)
      throw new DocsearchError('unavailable', 'Too many users are logging in at the same time. Try again in a few seconds.', {
        retryAfter: 5,
      })
    return limit(() =>
      derive('argon2id', { message: normalise(password), nonce: salt, memory: memoryKiB, passes, parallelism, tagLength }),
    )
  }

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      return format(cost, salt, await run(password, salt, cost, HASH_BYTES))
    },
    async verify(password, phc) {
      if (phc === null) {
        await run(password, randomBytes(SALT_BYTES), cost, HASH_BYTES)
        return false
      }
      const stored = parse(phc)
      return timingSafeEqual(await run(password, stored.salt, stored.cost, stored.hash.length), stored.hash)
    },
    isOutdated(phc) {
      const stored = parse(phc).cost
      return stored.memoryKiB !== cost.memoryKiB || stored.passes !== cost.passes || stored.parallelism !== cost.parallelism
    },
  }
}

/** Makes one password of the different ways to compose the same letters (RFC 8265 section 4.1 uses NFC; NFKC also joins width variants). */
export function normalise(password: string): string {
  return password.normalize('NFKC')
}

/** https://github.com/P-H-C/phc-string-format: base64 without padding. */
function format({ memoryKiB, passes, parallelism }: PasswordCost, salt: Buffer, hash: Buffer): string {
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=${ARGON2_VERSION}$m=${memoryKiB},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`
}

function parse(phc: string): { cost: PasswordCost; salt: Buffer; hash: Buffer } {
  const [, memoryKiB, passes, parallelism, salt, hash] = PHC.exec(phc) ?? []
  if (salt === undefined || hash === undefined) throw new Error('The stored password hash is not a PHC string of argon2id.')
  return {
    cost: { memoryKiB: Number(memoryKiB), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}
