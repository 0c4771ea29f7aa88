import type { DocumentWarning } from '../../core/model.ts'

/** A document of one million short cells has 20 MB of text. */
const MAX_CELLS = 500_000

/** Counts the cells of a document. What comes after the limit is not read, and a warning says where that begins. */
export class CellBudget {
  private left: number
  private readonly max: number
  private cut: { page: number; row: number; where: string } | null = null

  constructor(max = MAX_CELLS) {
    this.max = max
    this.left = max
  }

  get isSpent(): boolean {
    return this.left <= 0
  }

  /** Takes one cell. Returns false if none is left. */
  take(page: number, row: number, where: string): boolean {
    if (this.left > 0) {
      this.left--
      return true
    }
    this.cut ??= { page, row, where }
    return false
  }

  warnings(): DocumentWarning[] {
    if (this.cut === null) return []
    const { page, row, where } = this.cut
    const limit = this.max.toLocaleString('en')
    const message = `The document has more than ${limit} cells, the limit. Rows from ${where}row ${row} on are not searchable. Split it into several files.`
    return [{ code: 'cells_skipped', message, page }]
  }
}
