import { createHmac } from 'node:crypto'

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
