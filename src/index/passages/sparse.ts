const HALF_BYTES = 2

/**
 * Encodes the values of a vector from one dimension on. Most of them have to be 0. A bit for each dimension says whether it has a value other
 * than 0. These values follow as 16-bit floats. For the 768 dimensions of the built-in embedder's hashed features, the bits take 96 bytes.
 */
export function encodeSparse(vector: Float32Array, from: number): Uint8Array {
  const bitmapBytes = bitmapLength(vector.length - from)
  let count = 0
  for (let i = from; i < vector.length; i++) if (vector[i] !== 0) count++
  const bytes = new Uint8Array(bitmapBytes + count * HALF_BYTES)
  const view = new DataView(bytes.buffer)
  let at = bitmapBytes
  for (let i = from; i < vector.length; i++) {
    if (vector[i] === 0) continue
    bytes[(i - from) >> 3]! |= 1 << ((i - from) & 7)
    view.setFloat16(at, vector[i]!, true)
    at += HALF_BYTES
  }
  return bytes
}

/** Writes the values of `encodeSparse` into a vector of zeros. Throws RangeError when the bytes are not such values. */
export function decodeSparse(bytes: Uint8Array, vector: Float32Array, from: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = bitmapLength(vector.length - from)
  for (let i = from; i < vector.length; i++) {
    if ((bytes[(i - from) >> 3]! & (1 << ((i - from) & 7))) === 0) continue
    vector[i] = view.getFloat16(at, true)
    at += HALF_BYTES
  }
  if (at !== bytes.length) throw new RangeError(`The sparse values have ${bytes.length} bytes instead of ${at}`)
}

function bitmapLength(dimensions: number): number {
  return Math.ceil(dimensions / 8)
}
