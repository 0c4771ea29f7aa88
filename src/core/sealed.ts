import { createHmac, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Sealed numbers have at most 15 digits, which JSON keeps exact. */
const HALF_BITS = 24
const HALF = 2 ** HALF_BITS
const MAX = HALF * HALF
const ROUNDS = 6

/**
 * Replaces numbers by others that tell nothing about their order or distance, and back: a Feistel network (Luby and Rackoff, 1988) with
 * HMAC-SHA256. Each number from 0 to 2^48 - 1 has one sealed number. 0 stays 0.
 */
export class SealedNumbers {
  readonly #key: string
  readonly #zero: number

  constructor(key: string) {
    this.#key = key
    this.#zero = this.#forwards(0)
  }

  seal(number: number): number {
    if (number === 0) return 0
    if (!(number > 0 && number < MAX)) throw new RangeError(`${number} cannot be sealed`)
    const sealed = this.#forwards(number)
    // 0 would be the sealed form of this number, but 0 stays 0. No other number has the sealed form that 0 would have.
    return sealed === 0 ? this.#zero : sealed
  }

  /** Returns the number that was sealed. Any other number from outside becomes a number that was never sealed, or null. */
  open(sealed: number): number | null {
    if (sealed === 0) return 0
    if (!Number.isInteger(sealed) || sealed < 0 || sealed >= MAX) return null
    return this.#backwards(sealed === this.#zero ? 0 : sealed)
  }

  #forwards(number: number): number {
    let [left, right] = halves(number)
    for (let round = 0; round < ROUNDS; round++) [left, right] = [right, left ^ this.#mix(round, right)]
    return left * HALF + right
  }

  #backwards(number: number): number {
    let [left, right] = halves(number)
    for (let round = ROUNDS - 1; round >= 0; round--) [left, right] = [right ^ this.#mix(round, left), left]
    return left * HALF + right
  }

  #mix(round: number, half: number): number {
    return createHmac('sha256', this.#key).update(`${round} ${half}`).digest().readUIntBE(0, 3)
  }
}

function halves(number: number): [left: number, right: number] {
  return [Math.floor(number / HALF), number % HALF]
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

/** Reads a key of 32 bytes from the content of a key file. Returns null if it is something else. */
export function sealingKey(content: string): Buffer | null {
  // Node ignores characters that are not base64, so a changed character needs this check.
  const text = content.trimEnd()
  const key = Buffer.from(text, 'base64')
  return key.length === KEY_BYTES && key.toString('base64') === text ? key : null
}

/** Encrypts a text under a key of 32 bytes. Only `openText` with the same `context` opens it, so that it can't be used for something else. */
export function sealText(text: string, key: Buffer, context = ''): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** Returns the text. Throws if it was sealed under another key or for another context, or changed since. */
export function openText(sealed: string, key: Buffer, context = ''): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}
