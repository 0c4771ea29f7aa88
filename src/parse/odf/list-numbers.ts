import { formatNumber } from '../docx/number-formats.ts'
import type { Element } from '../package/xml.ts'
import { type ListLevel, type ListStyles, MAX_LISTS_DEEP } from './styles.ts'

/** The numbers of a list: the last number of each level, or undefined if the level starts again. */
type Counts = (number | undefined)[]

interface OpenList {
  style: string | null
  counts: Counts
}

/** The names that Word's formats have in OpenDocument. */
const FORMATS: Readonly<Record<string, string>> = {
  '1': 'decimal',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
}
/** Lists that another list can continue by their IDs. */
const MAX_REMEMBERED = 10_000

/** Counts the items of lists and the headings of an OpenDocument text, and returns their numbers as the writing program shows them. */
export class OdfListNumbers {
  private readonly styles: ListStyles
  private readonly open: OpenList[] = []
  private readonly byId = new Map<string, Counts>()
  private readonly byStyle = new Map<string, Counts>()
  private readonly headings: Counts = []
  /** The number of an item whose first paragraph has not begun. */
  private pending = ''

  constructor(styles: ListStyles) {
    this.styles = styles
  }

  /** How many lists the current item is in. */
  get depth(): number {
    return this.open.length
  }

  openList({ attribute }: Element): void {
    const outer = this.open.at(-1)
    const style = attribute('style-name') ?? outer?.style ?? null
    const counts = outer?.counts ?? this.countsOf(style, attribute)
    this.open.push({ style, counts })
    const id = attribute('id')
    if (id !== null && this.byId.size < MAX_REMEMBERED) this.byId.set(id, counts)
    if (style !== null) this.byStyle.set(style, counts)
  }

  /** A list begins at 1 unless it says that it continues another one. */
  private countsOf(style: string | null, attribute: Element['attribute']): Counts {
    const continued = this.byId.get(attribute('continue-list') ?? '')
    if (continued !== undefined) return continued
    return attribute('continue-numbering') === 'true' ? (this.byStyle.get(style ?? '') ?? []) : []
  }

  openItem({ name, attribute }: Element): void {
    const list = this.open.at(-1)
    const at = this.open.length - 1
    if (list === undefined || at >= MAX_LISTS_DEEP) return
    // A header of a list is an item without a number.
    this.pending = name === 'list-header' ? '' : count(list.counts, this.styles.get(list.style), at, attribute('start-value'))
  }

  closeList(): void {
    this.open.pop()
    this.pending = ''
  }

  /** Returns the number of the paragraph that begins, with a space after it. Only the first paragraph of an item has one. */
  takeItem(): string {
    const { pending } = this
    this.pending = ''
    return pending
  }

  /** Returns the number of a heading outside of lists. */
  takeHeading(level: number, { attribute }: Element): string {
    if (attribute('is-list-header') === 'true' || level < 1 || level > MAX_LISTS_DEEP) return ''
    const start = attribute('start-value') ?? (attribute('restart-numbering') === 'true' ? '1' : null)
    return count(this.headings, this.styles.outline, level - 1, start)
  }
}

/** Counts an item at a level, and returns its number with a space after it; empty for a bullet. */
function count(counts: Counts, levels: readonly (ListLevel | undefined)[], at: number, start: string | null): string {
  const level = levels[at]
  for (let above = 0; above < at; above++) counts[above] ??= levels[above]?.start ?? 1
  const last = counts[at]
  const named = start === null ? Number.NaN : Math.trunc(Number(start))
  counts[at] = Number.isSafeInteger(named) ? named : last === undefined ? (level?.start ?? 1) : last + 1
  counts.length = at + 1
  if (level === undefined || level.format === '') return ''
  const first = Math.max(0, at + 1 - level.shown)
  const numbers = counts.slice(first).flatMap((number, i) => {
    const format = levels[first + i]?.format ?? ''
    return format === '' ? [] : [formatNumber(number ?? 0, FORMATS[format] ?? 'decimal')]
  })
  return `${level.prefix}${numbers.join('.')}${level.suffix}`.trim() + ' '
}
