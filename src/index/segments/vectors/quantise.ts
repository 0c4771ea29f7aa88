/** The largest whole number of a component: 127 × 256 + 127, so that both bytes are from -128 to 127. */
export const MAX_COMPONENT = 127 * 256 + 127

/** A direction in whole numbers. `scale` is 1 ÷ its length. */
export interface Quantised {
  components: Int16Array
  scale: number
}

/**
 * Scales a vector to whole numbers whose largest is `most`. Products and sums of whole numbers are exact, so a score doesn't depend on the order
 * in which they are added. Returns null for a vector without a direction: all zeros, or a number that isn't finite.
 */
export function quantise(vector: Float32Array, most = MAX_COMPONENT): Quantised | null {
  let largest = 0
  for (let i = 0; i < vector.length; i++) {
    if (!Number.isFinite(vector[i]!)) return null
    largest = Math.max(largest, Math.abs(vector[i]!))
  }
  if (largest === 0) return null
  const components = new Int16Array(vector.length)
  let sum = 0
  for (let i = 0; i < vector.length; i++) {
    const component = Math.round((vector[i]! / largest) * most)
    components[i] = component
    sum += component * component
  }
  return { components, scale: 1 / Math.sqrt(sum) }
}

/** Returns the high byte of a component. The low one is what is left, from -128 to 127. */
export function highByte(component: number): number {
  return (component + 128) >> 8
}
