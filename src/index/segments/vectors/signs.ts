import { SIGN_GROUP_ROWS, signGroupBytes, type VectorSections } from './format.ts'
import type { VectorOrigin } from './rest.ts'
import type { Clusters } from './clusters.ts'

/** Returns the sections that estimate the rows of clusters (format.ts). */
export function signSections(
  { centroids, centroidScales, clusters }: Clusters,
  stride: number,
): Pick<VectorSections, 'centroidLengths' | 'signs' | 'signFactors'> {
  const rows = clusters.reduce((sum, { length }) => sum + length, 0)
  const sections = {
    centroidLengths: new Float32Array(clusters.length),
    signs: new Int8Array(Math.ceil(rows / SIGN_GROUP_ROWS) * signGroupBytes(stride)),
    signFactors: new Float32Array(rows),
  }
  const centroid = new Float64Array(stride)
  const components = new Float64Array(stride)
  let row = 0
  for (const [i, cluster] of clusters.entries()) {
    for (let k = 0; k < stride; k++) centroid[k] = centroids[i * stride + k]! * centroidScales[i]!
    let sum = 0
    for (const origin of cluster) {
      readComponents(origin, components)
      for (let k = 0; k < stride; k++) sum += components[k]! * centroid[k]!
    }
    const length = Math.fround(sum / Math.max(1, cluster.length))
    sections.centroidLengths[i] = length
    for (let k = 0; k < stride; k++) centroid[k]! *= length
    for (const origin of cluster) {
      readComponents(origin, components)
      for (let k = 0; k < stride; k++) components[k]! -= centroid[k]!
      sections.signFactors[row] = factorOf(components)
      writeSigns(components, sections.signs, row)
      row++
    }
  }
  return sections
}

/** Reads the high bytes, which are precise enough for estimates. */
function readComponents({ source, row }: VectorOrigin, components: Float64Array): void {
  const scale = 256 * source.scales[row]!
  for (let k = 0, at = row * components.length; k < components.length; k++, at++) components[k] = source.high[at]! * scale
}

/** With this factor, the estimated dot product of a vector with itself is exact (Gao and Long 2024, RaBitQ). */
function factorOf(components: Float64Array): number {
  let [squares, sum] = [0, 0]
  for (let k = 0; k < components.length; k++) {
    squares += components[k]! * components[k]!
    sum += Math.abs(components[k]!)
  }
  return sum === 0 ? 0 : squares / sum
}

function writeSigns(components: Float64Array, signs: Int8Array, row: number): void {
  const inGroup = row % SIGN_GROUP_ROWS
  const [column, shift] = [inGroup % 16, inGroup < 16 ? 0 : 4]
  const group = Math.floor(row / SIGN_GROUP_ROWS) * signGroupBytes(components.length)
  for (let k = 0; k < components.length; k++) {
    if (components[k]! >= 0) signs[group + (k >> 2) * 16 + column]! |= 1 << (shift + (k & 3))
  }
}
