/** Scales a vector to length 1 in place. Returns null for a vector without a direction: all zeros, or a number that isn't finite. */
export function normalise(vector: Float32Array): Float32Array | null {
  let sum = 0
  // Loops by index, because an iterator takes longer than the sum.
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * vector[i]!
  if (!Number.isFinite(sum) || sum === 0) return null
  const scale = 1 / Math.sqrt(sum)
  for (let i = 0; i < vector.length; i++) vector[i]! *= scale
  return vector
}

/** Returns the mean of vectors of one length, scaled to length 1. Returns null without vectors, and when they cancel each other out. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array | null {
  const [first, ...others] = vectors
  if (first === undefined || others.length === 0) return first ?? null
  const mean = first.slice()
  for (const vector of others) for (let i = 0; i < mean.length; i++) mean[i]! += vector[i]!
  return normalise(mean)
}

/** Returns a model's numbers as a vector of length 1, or null when one isn't finite or all are zero. */
export function toVector(values: readonly unknown[]): Float32Array | null {
  if (!values.every((value) => typeof value === 'number' && Number.isFinite(value))) return null
  return normalise(Float32Array.from(values as readonly number[]))
}
