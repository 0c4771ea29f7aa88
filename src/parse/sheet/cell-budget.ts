import type { DocumentWarning } from '../../core/model.ts'

/** A document of one million short cells has 20 MB of text. */
const MAX_CELLS = 500_000

/** Counts the cells of a document. What comes after the limit is not read, and a warning says where that begins. */
export class CellBudget {
  private left: number
  private readonly max: number
  private cut: { limit: string; page: number; row: number; where: string } | null = null

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
    this.cut ??= { limit: `${this.max.toLocaleString('en')} cells`, page, row, where }
    return false
  }

  /** Warns that rows from this one on are not read. `limit` is the exceeded limit: `20 MB of text`. */
  stop(limit: string, page: number, row: number): void {
    this.cut ??= { limit, page, row, where: '' }
  }

  warnings(): DocumentWarning[] {
    if (this.cut === null) return []
    const { limit, page, row, where } = this.cut
    const message = `The document has more than ${limit}, the limit. Rows from ${where}row ${row} on are not searchable. Split it into several files.`
    return [{ code: 'cells_skipped', message, page }]
  }
}
