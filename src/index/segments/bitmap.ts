/** A set of passages: bit `p % 32` of word `p / 32`. */
export type Bitmap = Uint32Array

export function createBitmap(size: number): Bitmap {
  return new Uint32Array(Math.ceil(size / 32))
}

export function hasBit(bitmap: Bitmap, bit: number): boolean {
  return ((bitmap[bit >>> 5]! >>> (bit & 31)) & 1) === 1
}

export function setBit(bitmap: Bitmap, bit: number): void {
  bitmap[bit >>> 5]! |= 1 << (bit & 31)
}

export function clearBit(bitmap: Bitmap, bit: number): void {
  bitmap[bit >>> 5]! &= ~(1 << (bit & 31))
}

/** Adds the bits from `start` up to, not including, `end`. */
export function setRange(bitmap: Bitmap, start: number, end: number): void {
  for (let bit = start; bit < end;) {
    const count = Math.min(32 - (bit & 31), end - bit)
    bitmap[bit >>> 5]! |= (count === 32 ? -1 : (1 << count) - 1) << (bit & 31)
    bit += count
  }
}

/** Returns the members in ascending order. */
export function* membersOf(bitmap: Bitmap): Generator<number> {
  for (let word = 0; word < bitmap.length; word++) {
    for (let bits = bitmap[word]!; bits !== 0; bits &= bits - 1) yield word * 32 + 31 - Math.clz32(bits & -bits)
  }
}
