import { BLOCK_ROWS, type VectorSections } from './format.ts'
import { memoryWith } from './kernel-memory.ts'
import { align, compileKernel, KernelModule, pagesFor } from './kernel-module.ts'
import type { RestComponent } from './rest-blocks.ts'
import { REST_KERNEL } from './rest-kernel-bytes.ts'

interface RestFunctions {
  addRest(
    query: number,
    queryEnd: number,
    ends: number,
    firstEnds: number,
    rest: number,
    rows: number,
    sums: number,
    ranges: number,
  ): void
}

let module: WebAssembly.Module | undefined

/** Computes the dot products of the rest of one query with the rest of many rows (rest-kernel.wat), in memory that the kernel can read. */
export class RestKernel {
  private readonly dimensions: number
  private readonly query: Int32Array
  private readonly sums: Int32Array
  private readonly functions: KernelModule<RestFunctions>
  private readonly rangesAt: number
  private queryEnd = 0

  constructor(dimensions: number) {
    this.dimensions = dimensions
    const sumsAt = align(8 * dimensions)
    this.rangesAt = sumsAt + 4 * BLOCK_ROWS
    const own = new WebAssembly.Memory({ initial: pagesFor(this.rangesAt + 8 * dimensions + 4) })
    this.query = new Int32Array(own.buffer, 0, 2 * dimensions)
    this.sums = new Int32Array(own.buffer, sumsAt, BLOCK_ROWS)
    this.functions = new KernelModule((module ??= compileKernel(REST_KERNEL)), own)
  }

  setQuery(components: readonly RestComponent[]): void {
    for (const [i, { dimension, component }] of components.entries()) {
      this.query[2 * i] = 4 * dimension
      this.query[2 * i + 1] = component
    }
    this.queryEnd = 8 * components.length
  }

  /** Returns a function for the products of the query with the rows of a block. Its next call overwrites the products. */
  sumsOf({ rest, restEnds }: Pick<VectorSections, 'rest' | 'restEnds'>): (block: number, rows: number) => Int32Array {
    const { sums, queryEnd, rangesAt, dimensions } = this
    const { addRest } = this.functions.of(memoryWith(rest)!)
    const [restAt, endsAt, sumsAt] = [rest.byteOffset, restEnds.byteOffset, sums.byteOffset]
    return (block, rows) => {
      sums.fill(0, 0, rows)
      addRest(0, queryEnd, endsAt + 4 * block * dimensions, endsAt, restAt, rows, sumsAt, rangesAt)
      return sums
    }
  }
}
