import { DotKernel } from './dot-kernel.ts'
import { strideOf, type VectorLayout } from './format.ts'

/** The largest component of the dense part, so that its high and its low byte are both from -128 to 127. */
const MAX_DENSE = 127 * 256 + 127
const MAX_REST = 127

/** A vector of length 1 in whole numbers: its components are `dense × scale` and `rest × restScale`. The scale of a part is 0 when all of it is 0. */
export interface Quantised {
  /** Padded with zeros to the stride. */
  dense: Int16Array
  scale: number
  rest: Int16Array
  restScale: number
}

/**
 * Returns the direction of a vector in whole numbers. Their products and sums are exact, so a score does not depend on the order of additions.
 * Returns null for a vector without a direction: one with zeros only, or with a component that isn't finite.
 *
 * The components are first rounded to the 16-bit floats that the passage table stores, so that a rebuild from the table gives the same scores.
 */
export function quantiseVector(vector: Float32Array, layout: VectorLayout): Quantised | null {
  return quantise(new Float32Array(new Float16Array(vector)), layout, MAX_DENSE, MAX_REST)
}

/** Returns a query in whole numbers. They are as large as possible without an overflow of their products with a vector's bytes. */
export function quantiseQuery(query: Float32Array, layout: VectorLayout): Quantised | null {
  const rest = layout.dimensions - layout.denseDimensions
  return quantise(
    query,
    layout,
    Math.min(MAX_DENSE, DotKernel.maxComponent(strideOf(layout))),
    Math.min(MAX_DENSE, DotKernel.maxComponent(Math.max(1, rest))),
  )
}

function quantise(vector: Float32Array, layout: VectorLayout, mostDense: number, mostRest: number): Quantised | null {
  const { dimensions, denseDimensions } = layout
  if (vector.length !== dimensions) throw new RangeError(`a vector has ${vector.length} dimensions, not ${dimensions}`)
  const dense = new Int16Array(strideOf(layout))
  const rest = new Int16Array(dimensions - denseDimensions)
  const ofDense = toWholeNumbers(vector.subarray(0, denseDimensions), mostDense, dense)
  const ofRest = toWholeNumbers(vector.subarray(denseDimensions), mostRest, rest)
  const length = Math.hypot(ofDense.length, ofRest.length)
  if (length === 0 || !Number.isFinite(length)) return null
  return { dense, scale: ofDense.step / length, rest, restScale: ofRest.step / length }
}

/** Writes components as whole numbers. `step` is the component that the whole number 1 stands for; `length` is the length of all components. */
function toWholeNumbers(components: Float32Array, most: number, into: Int16Array): { step: number; length: number } {
  let largest = 0
  let sum = 0
  for (let i = 0; i < components.length; i++) {
    largest = Math.max(largest, Math.abs(components[i]!))
    if (!Number.isFinite(components[i]!)) return { step: 0, length: NaN }
  }
  if (largest === 0) return { step: 0, length: 0 }
  for (let i = 0; i < components.length; i++) {
    const whole = Math.round((components[i]! / largest) * most)
    into[i] = whole
    sum += whole * whole
  }
  const step = largest / most
  return { step, length: Math.sqrt(sum) * step }
}

/** Returns the high byte of a 16-bit component. The low byte is the component minus 256 times the high byte, from -128 to 127. */
export function highByte(component: number): number {
  return (component + 128) >> 8
}
