import type { VectorOrigin } from './origin.ts'

export interface Clusters {
  centroids: Int8Array
  centroidScales: Float32Array
  clusters: VectorOrigin[][]
}

/** Divides vectors into clusters. So far it makes none, and a search scans all vectors. */
export function clusterVectors(_vectors: readonly VectorOrigin[], _stride: number): Clusters {
  return { centroids: new Int8Array(0), centroidScales: new Float32Array(0), clusters: [] }
}
