import {
  LEVELS,
  type ListDefinition,
  type NumberedList,
  type Numbering,
  type NumberLevel,
  type ParagraphStyles,
} from './definitions.ts'
import { formatNumber } from './number-formats.ts'

/** What a paragraph itself says about its list. */
export interface ParagraphNumbering {
  style: string | null
  /** Word's ID of the list; `0` for none. */
  list: string | null
  level: number | null
}

interface Count {
  /** The last number of each level; undefined where a level begins again. */
  numbers: (number | undefined)[]
  /** The lists that have begun. */
  lists: Set<string>
}

/**
 * Counts the numbered paragraphs of a part in their order and returns their numbers as Word shows them. Each paragraph costs the
 * same, however deep and long the list is.
 */
export class ListNumbers {
  private readonly numbering: Numbering
  private readonly styles: ParagraphStyles
  private readonly counts = new Map<ListDefinition, Count>()
  private readonly linked = new Map<string, ListDefinition>()

  constructor(numbering: Numbering, styles: ParagraphStyles) {
    this.numbering = numbering
    this.styles = styles
    for (const definition of numbering.definitions.values())
      if (definition.styleLink !== null) this.linked.set(definition.styleLink, definition)
  }

  /** Returns the number of the next paragraph with what separates it from the text. Empty for a bullet, and outside of lists. */
  next(paragraph: ParagraphNumbering): string {
    const ofStyle = this.styles.get(paragraph.style ?? '')?.numbering ?? null
    const id = paragraph.list ?? ofStyle?.id
    const list = id === undefined ? undefined : this.numbering.lists.get(id)
    const definition = list === undefined ? undefined : this.definitionOf(list)
    if (id === undefined || list === undefined || definition === undefined) return ''
    const levelAt = (index: number): NumberLevel | undefined => list.levels[index] ?? definition.levels[index]
    const inherited = paragraph.list === null || paragraph.list === ofStyle?.id ? ofStyle?.level : null
    const index = paragraph.level ?? inherited ?? levelOfStyle(definition, paragraph.style) ?? 0
    const level = levelAt(index)
    if (level === undefined) return ''
    const numbers = this.count(id, list, definition, index)
    const text = level.pattern.replace(/%([1-9])/g, (_all, digit: string) => {
      const at = Number(digit) - 1
      const format = levelAt(at)?.format ?? 'decimal'
      const isDigits = level.isLegal && format !== 'none' && format !== 'bullet'
      return at > index ? '' : formatNumber(numbers[at] ?? 0, isDigits && format !== 'decimalZero' ? 'decimal' : format)
    })
    if (level.format === 'bullet' || text.trim() === '') return ''
    return level.suffix === 'nothing' ? text : `${text} `
  }

  private definitionOf(list: NumberedList): ListDefinition | undefined {
    const definition = this.numbering.definitions.get(list.definition)
    const link = definition?.numStyleLink ?? null
    return (link === null ? undefined : this.linked.get(link)) ?? definition
  }

  private count(id: string, list: NumberedList, definition: ListDefinition, index: number): readonly (number | undefined)[] {
    let count = this.counts.get(definition)
    if (count === undefined) this.counts.set(definition, (count = { numbers: [], lists: new Set() }))
    const { numbers, lists } = count
    if (!lists.has(id)) {
      lists.add(id)
      list.starts.forEach((start, at) => {
        if (start !== undefined) numbers[at] = undefined
      })
    }
    const start = (at: number): number => list.starts[at] ?? (list.levels[at] ?? definition.levels[at])?.start ?? 0
    for (let at = 0; at < index; at++) numbers[at] ??= start(at)
    const last = numbers[index]
    numbers[index] = last === undefined ? start(index) : last + 1
    for (let at = index + 1; at < LEVELS; at++) {
      const { restart = null } = list.levels[at] ?? definition.levels[at] ?? {}
      if (restart === null || index < restart) numbers[at] = undefined
    }
    return numbers
  }
}

function levelOfStyle({ levels }: ListDefinition, style: string | null): number | null {
  const index = style === null ? -1 : levels.findIndex((level) => level?.style === style)
  return index < 0 ? null : index
}
