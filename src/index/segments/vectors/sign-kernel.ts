import { BLOCK_ROWS, SIGN_GROUP_ROWS, signGroupBytes } from './format.ts'
import { memoryWith, newMemory, align, compileKernel, KernelModule, pagesFor } from './kernel-memory.ts'
import { SIGN_KERNEL } from './kernel-bytes.ts'

interface SignFunctions {
  sums(table: number, tableEnd: number, signs: number, groups: number, out: number): void
  promising(
    sums: number,
    count: number,
    factors: number,
    rests: number,
    restScales: number,
    base: number,
    sumScale: number,
    shift: number,
    queryScale: number,
    threshold: number,
    out: number,
  ): number
}

/** Rows that follow each other in a block, and the sections that estimate them (format.ts). */
export interface EstimatedRows {
  start: number
  end: number
  /** The signs of the groups that have the rows. */
  signs: Int8Array
  factors: Float32Array
  restScales: Float32Array
  /** The dot products of the query's rest with the rest of each row. Null if all are 0. */
  rests: Int32Array | null
}

export interface Threshold {
  /** The dot product of the query with the cluster's centroid. */
  base: number
  /** How far the dot product of the query with signs may be off. */
  error: number
  restScale: number
  threshold: number
}

/** Four components have this many combinations of signs. */
const COMBINATIONS = 16
/** The largest number in the table. A sum of four has 8 bits, and the sum for a row has 16. */
const maxInTable = (stride: number) => Math.min(63, Math.floor((2 ** 16 - 1) / (stride / 4)))
/** A block may start and end within a group. */
const MAX_GROUPS = BLOCK_ROWS / SIGN_GROUP_ROWS + 1

/** Where the copied sections are in memory. */
const FACTORS_AT = 0
const REST_SCALES_AT = 4 * BLOCK_ROWS
const SIGNS_AT = 8 * BLOCK_ROWS

let module: WebAssembly.Module | undefined

/** Estimates scores by the signs of components (sign-kernel.wat). Reads an eighth of the bytes that the exact scores need. */
export class SignKernel {
  private readonly stride: number
  private readonly table: Uint8Array
  private readonly sums: Uint16Array
  private readonly rests: Int32Array
  readonly found: Uint32Array
  /** The memory for sections that are copied. */
  private readonly copied: WebAssembly.Memory
  private readonly functions: KernelModule<SignFunctions>
  /** The dot product of the query with the signs of a row is the row's sum times the scale, minus the shift. */
  private sumScale = 0
  private shift = 0

  constructor(stride: number) {
    this.stride = stride
    const tableBytes = Math.ceil(stride / 16) * 4 * COMBINATIONS
    const sumsAt = align(tableBytes)
    const restsAt = sumsAt + 2 * MAX_GROUPS * SIGN_GROUP_ROWS
    const foundAt = restsAt + 4 * BLOCK_ROWS
    const own = new WebAssembly.Memory({ initial: pagesFor(foundAt + 4 * BLOCK_ROWS) })
    this.table = new Uint8Array(own.buffer, 0, tableBytes)
    this.sums = new Uint16Array(own.buffer, sumsAt, MAX_GROUPS * SIGN_GROUP_ROWS)
    this.rests = new Int32Array(own.buffer, restsAt, BLOCK_ROWS)
    this.found = new Uint32Array(own.buffer, foundAt, BLOCK_ROWS)
    this.copied = newMemory(pagesFor(SIGNS_AT + MAX_GROUPS * signGroupBytes(stride)))
    this.functions = new KernelModule((module ??= compileKernel(SIGN_KERNEL)), own)
  }

  /** Each component of the query is `components[i] × scale`. A query of zeros can't be used. */
  setQuery(components: ArrayLike<number>, scale: number): void {
    const parts = new Float64Array(4 * this.stride)
    let largest = 0
    for (let at = 0; at < parts.length; at++) {
      const from = Math.floor(at / COMBINATIONS) * 4
      for (let i = 0; i < 4; i++) parts[at]! += ((at >> i) & 1) === 1 ? components[from + i]! : -components[from + i]!
      largest = Math.max(largest, parts[at]!)
    }
    if (largest === 0) return
    const most = maxInTable(this.stride)
    for (let at = 0; at < parts.length; at++) this.table[at] = Math.round((parts[at]! / largest + 1) * (most / 2))
    this.sumScale = ((2 * largest) / most) * scale
    this.shift = largest * (this.stride / 4) * scale
  }

  /** Writes the rows whose scores may reach the threshold to `found`, the row `start` as 0. Returns how many there are. */
  findPromising(rows: EstimatedRows, { base, error, restScale, threshold }: Threshold): number {
    const { table, sums, rests, found } = this
    const { start, end, signs } = rows
    const memory = memoryWith(signs)
    if (memory === undefined) this.copy(rows)
    const [signsAt, factorsAt, restScalesAt] =
      memory === undefined
        ? [SIGNS_AT, FACTORS_AT, REST_SCALES_AT]
        : [signs.byteOffset, rows.factors.byteOffset + 4 * start, rows.restScales.byteOffset + 4 * start]
    const functions = this.functions.of(memory ?? this.copied)
    const groups = signs.length / signGroupBytes(this.stride)
    functions.sums(table.byteOffset, table.byteOffset + table.length, signsAt, groups, sums.byteOffset)
    if (rows.rests !== null) rests.set(rows.rests)
    return functions.promising(
      sums.byteOffset + 2 * (start % SIGN_GROUP_ROWS),
      end - start,
      factorsAt,
      rests.byteOffset,
      restScalesAt,
      base,
      this.sumScale,
      error - this.shift,
      rows.rests === null ? 0 : restScale,
      threshold,
      found.byteOffset,
    )
  }

  private copy({ start, end, signs, factors, restScales }: EstimatedRows): void {
    const { buffer } = this.copied
    new Int8Array(buffer, SIGNS_AT).set(signs)
    new Float32Array(buffer, FACTORS_AT).set(factors.subarray(start, end))
    new Float32Array(buffer, REST_SCALES_AT).set(restScales.subarray(start, end))
  }
}
