import { DOT_KERNEL } from './dot-kernel-bytes.ts'

type Dots = (query: number, rows: number, count: number, stride: number, out: number) => void

const PAGE_BYTES = 65_536
const ALIGNMENT = 16

let module: WebAssembly.Module | undefined

/**
 * Computes dot products of one query with many rows of 8-bit components (dot-kernel.wat). WebAssembly sees only its own memory, so rows have to be
 * copied there. With blocks that fit into the processor's cache, copying takes about as long as computing the products.
 */
export class DotKernel {
  readonly stride: number
  private readonly compute: Dots
  private readonly query: Int16Array
  private readonly rows: Int8Array
  private readonly results: Int32Array

  /** `stride` is the number of components of a row, a multiple of 8. */
  constructor(stride: number, maxRows: number) {
    this.stride = stride
    module ??= new WebAssembly.Module(Buffer.from(DOT_KERNEL, 'base64'))
    const { memory, dots } = new WebAssembly.Instance(module).exports as { memory: WebAssembly.Memory; dots: Dots }
    this.compute = dots
    const most = Math.ceil(maxRows / 4) * 4
    const rowsAt = align(2 * stride)
    // The kernel computes four rows at a time, so it reads up to three rows past the last one.
    const resultsAt = align(rowsAt + (most + 3) * stride)
    memory.grow(Math.ceil((resultsAt + 4 * most) / PAGE_BYTES) - 1)
    this.query = new Int16Array(memory.buffer, 0, stride)
    this.rows = new Int8Array(memory.buffer, rowsAt, most * stride)
    this.results = new Int32Array(memory.buffer, resultsAt, most)
  }

  /** Returns the largest component that a query may have without an overflow of a product. */
  static maxComponent(stride: number): number {
    return Math.floor((2 ** 31 - 1) / (128 * stride))
  }

  setQuery(components: ArrayLike<number>): void {
    this.query.set(components)
  }

  /** Copies rows into the kernel's memory. The first one becomes row `at`. */
  load(rows: Int8Array, at = 0): void {
    this.rows.set(rows, at * this.stride)
  }

  /** Returns the dot products of the query with `count` loaded rows, from row `from` on. The next call overwrites them. */
  dots(from: number, count: number): Int32Array {
    this.compute(this.query.byteOffset, this.rows.byteOffset + from * this.stride, count, this.stride, this.results.byteOffset)
    return this.results
  }
}

function align(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT
}
