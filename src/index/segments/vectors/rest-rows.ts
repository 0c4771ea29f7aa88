import { ByteWriter } from '../bytes.ts'
import { BLOCK_ROWS } from './format.ts'

/**
 * The rest of many vectors while a file is written, row by row. A row has a pair for each component that isn't 0: the distance to the dimension of
 * the pair before, and the component. If pairs would not be shorter, the row has all components.
 */
export class RestRows {
  private readonly dimensions: number
  private readonly bytes = new ByteWriter()
  private readonly ends: number[] = []

  constructor(dimensions: number) {
    this.dimensions = dimensions
  }

  /** Appends a row: `components[from]`, `components[from + step]` and so on. */
  add(components: ArrayLike<number>, from = 0, step = 1): void {
    const { bytes, dimensions } = this
    const start = bytes.length
    let last = -1
    for (let dimension = 0, at = from; dimension < dimensions && bytes.length - start < dimensions; dimension++, at += step) {
      const component = components[at]!
      const distance = dimension - last
      if (component === 0 && distance < 255) continue
      bytes.byte(distance)
      bytes.byte(component)
      last = dimension
    }
    if (bytes.length - start >= dimensions) {
      bytes.length = start
      for (let dimension = 0, at = from; dimension < dimensions; dimension++, at += step) bytes.byte(components[at]!)
    }
    this.ends.push(bytes.length)
  }

  /** Copies a row into row `to` of a block's table (rest-blocks.ts), which has to be all zeros. */
  copy(row: number, table: Int8Array, to: number): void {
    const bytes = this.bytes.written()
    const end = this.ends[row]!
    let from = row === 0 ? 0 : this.ends[row - 1]!
    if (end - from === this.dimensions) for (let at = to; from < end; from++, at += BLOCK_ROWS) table[at] = bytes[from]!
    else
      for (let dimension = -1; from < end; from += 2) {
        dimension += bytes[from]!
        table[dimension * BLOCK_ROWS + to] = bytes[from + 1]!
      }
  }
}
