import { DOT_KERNEL } from './kernel-bytes.ts'
import { memoryWith, newMemory, align, compileKernel, KernelModule, pagesFor } from './kernel-memory.ts'

interface DotFunctions {
  dots(query: number, rows: number, count: number, stride: number, out: number): void
  dotsAt(query: number, rows: number, places: number, count: number, stride: number, out: number): void
}

let module: WebAssembly.Module | undefined

/**
 * Computes dot products of one query with many rows of 8-bit components (dot-kernel.wat). WebAssembly sees only memory of its own kind, so other
 * rows are copied there, in blocks that fit into the processor's cache.
 */
export class DotKernel {
  readonly stride: number
  private readonly query: Int16Array
  private readonly results: Int32Array
  private readonly places: Uint32Array
  /** The memory for rows that are copied. */
  private readonly copied: WebAssembly.Memory
  private readonly rows: Int8Array
  private readonly functions: KernelModule<DotFunctions>

  /** `stride` is the number of components of a row, a multiple of 8. */
  constructor(stride: number, maxRows: number) {
    this.stride = stride
    const most = Math.ceil(maxRows / 4) * 4
    const resultsAt = align(2 * stride)
    const placesAt = align(resultsAt + 4 * most)
    const own = new WebAssembly.Memory({ initial: pagesFor(placesAt + 4 * most) })
    this.query = new Int16Array(own.buffer, 0, stride)
    this.results = new Int32Array(own.buffer, resultsAt, most)
    this.places = new Uint32Array(own.buffer, placesAt, most)
    // The kernel computes four rows at a time, so it reads up to three rows past the last one.
    this.copied = newMemory(pagesFor((most + 3) * stride))
    this.rows = new Int8Array(this.copied.buffer, 0, most * stride)
    this.functions = new KernelModule((module ??= compileKernel(DOT_KERNEL)), own)
  }

  /** The largest component of a query that can't overflow. */
  static maxComponent(stride: number): number {
    return Math.floor((2 ** 31 - 1) / (128 * stride))
  }

  setQuery(components: ArrayLike<number>): void {
    this.query.set(components)
  }

  /** Copies rows into the kernel, from its row `at` on. */
  load(rows: Int8Array, at = 0): void {
    this.rows.set(rows, at * this.stride)
  }

  /** Returns the products of the query with loaded rows. The next call overwrites them. */
  dots(from: number, count: number): Int32Array {
    return this.compute(this.copied, from * this.stride, count)
  }

  /** Returns the products of the query with rows, which are copied only if they have to be. The next call overwrites the products. */
  dotsOf(rows: Int8Array): Int32Array {
    const memory = memoryWith(rows)
    const count = rows.length / this.stride
    if (memory !== undefined) return this.compute(memory, rows.byteOffset, count)
    this.load(rows)
    return this.dots(0, count)
  }

  /** Returns a function for the products of the query with the rows from `start` up to `end` among `all`, which the kernel can read (`canRead`). */
  dotsAmong(all: Int8Array): (start: number, end: number) => Int32Array {
    const { stride, query, results } = this
    const { dots } = this.functions.of(memoryWith(all)!)
    const [queryAt, rowsAt, resultsAt] = [query.byteOffset, all.byteOffset, results.byteOffset]
    return (start, end) => {
      dots(queryAt, rowsAt + start * stride, end - start, stride, resultsAt)
      return results
    }
  }

  /**
   * Returns the products of the query with single rows among `all`, which are in memory that the kernel can read (`canRead`). The next call
   * overwrites the products.
   */
  dotsAt(all: Int8Array, rows: ArrayLike<number>): Int32Array {
    const { query, places, results, stride } = this
    for (let i = 0; i < rows.length; i++) places[i] = rows[i]! * stride
    const { dotsAt } = this.functions.of(memoryWith(all)!)
    dotsAt(query.byteOffset, all.byteOffset, places.byteOffset, rows.length, stride, results.byteOffset)
    return results
  }

  private compute(memory: WebAssembly.Memory, at: number, count: number): Int32Array {
    this.functions.of(memory).dots(this.query.byteOffset, at, count, this.stride, this.results.byteOffset)
    return this.results
  }
}
