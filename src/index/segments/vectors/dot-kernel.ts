import { DOT_KERNEL } from './dot-kernel-bytes.ts'
import { KERNEL_PAGE_BYTES, memoryWith, newMemory } from './kernel-memory.ts'

type Dots = (query: number, rows: number, count: number, stride: number, out: number) => void

const ALIGNMENT = 16

let module: WebAssembly.Module | undefined

/**
 * Computes dot products of one query with many rows of 8-bit components (dot-kernel.wat). WebAssembly sees only memory of its own kind, so other
 * rows are copied there, in blocks that fit into the processor's cache.
 */
export class DotKernel {
  readonly stride: number
  private readonly memory: WebAssembly.Memory
  private readonly query: Int16Array
  private readonly results: Int32Array
  /** The memory for rows that are copied. */
  private readonly copied: WebAssembly.Memory
  private readonly rows: Int8Array
  private readonly computeCopied: Dots
  private readonly compute = new WeakMap<WebAssembly.Memory, Dots>()

  /** `stride` is the number of components of a row, a multiple of 8. */
  constructor(stride: number, maxRows: number) {
    this.stride = stride
    const most = Math.ceil(maxRows / 4) * 4
    const resultsAt = align(2 * stride)
    this.memory = new WebAssembly.Memory({ initial: pagesFor(resultsAt + 4 * most) })
    this.query = new Int16Array(this.memory.buffer, 0, stride)
    this.results = new Int32Array(this.memory.buffer, resultsAt, most)
    // The kernel computes four rows at a time, so it reads up to three rows past the last one.
    this.copied = newMemory(pagesFor((most + 3) * stride))
    this.rows = new Int8Array(this.copied.buffer, 0, most * stride)
    this.computeCopied = this.instantiate(this.copied)
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
    this.computeCopied(this.query.byteOffset, from * this.stride, count, this.stride, this.results.byteOffset)
    return this.results
  }

  /** Returns the products of the query with rows, which are copied only if they have to be. The next call overwrites the products. */
  dotsOf(rows: Int8Array): Int32Array {
    const memory = memoryWith(rows)
    const count = rows.length / this.stride
    if (memory === undefined) {
      this.load(rows)
      return this.dots(0, count)
    }
    let compute = this.compute.get(memory)
    if (compute === undefined) this.compute.set(memory, (compute = this.instantiate(memory)))
    compute(this.query.byteOffset, rows.byteOffset, count, this.stride, this.results.byteOffset)
    return this.results
  }

  private instantiate(rows: WebAssembly.Memory): Dots {
    module ??= new WebAssembly.Module(Buffer.from(DOT_KERNEL, 'base64'))
    const { exports } = new WebAssembly.Instance(module, { kernel: { memory: this.memory }, rows: { memory: rows } })
    return (exports as { dots: Dots }).dots
  }
}

function pagesFor(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / KERNEL_PAGE_BYTES))
}

function align(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT
}
