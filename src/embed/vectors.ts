/** Scales to length 1, in place; null when there is no direction to keep (all zeros, or something that is no finite number). */
export function normalise(vector: Float32Array): Float32Array | null {
  let sum = 0
  // By index: an iterator would take longer than the sum.
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * vector[i]!
  if (!Number.isFinite(sum) || sum === 0) return null
  const scale = 1 / Math.sqrt(sum)
  for (let i = 0; i < vector.length; i++) vector[i]! *= scale
  return vector
}

/** Numbers from outside as a vector of length 1; null when one of them is no finite number, or all are zero. */
export function toVector(values: readonly unknown[]): Float32Array | null {
  if (!values.every((value) => typeof value === 'number' && Number.isFinite(value))) return null
  return normalise(Float32Array.from(values as readonly number[]))
}
