import type { Element, XmlHandlers } from '../package/xml.ts'

/** How a level of a list is numbered. */
export interface ListLevel {
  /** `1`, `a`, `A`, `i` or `I`; empty for a level without numbers. */
  format: string
  prefix: string
  suffix: string
  start: number
  /** How many levels the number shows: 2 for `1.2`. */
  shown: number
}

/** OpenDocument has ten levels. */
export const MAX_LISTS_DEEP = 10
const MAX_START = 1_000_000

/** Collects the numbering of lists and headings from the styles of an OpenDocument file. */
export class ListStyles implements Required<XmlHandlers> {
  /** The levels of headings. */
  readonly outline: (ListLevel | undefined)[] = []
  private readonly lists = new Map<string, (ListLevel | undefined)[]>()
  private levels: (ListLevel | undefined)[] | null = null

  open({ name, attribute }: Element): void {
    if (name === 'list-style') {
      this.levels = []
      this.lists.set(attribute('name') ?? '', this.levels)
    } else if (name === 'outline-style') this.levels = this.outline
    else if (name === 'list-level-style-number' || name === 'outline-level-style') {
      const level = whole(attribute('level'), 1, MAX_LISTS_DEEP)
      if (this.levels === null) return
      this.levels[level - 1] = {
        format: attribute('num-format') ?? '',
        prefix: attribute('num-prefix') ?? '',
        suffix: attribute('num-suffix') ?? '',
        start: whole(attribute('start-value'), 1, MAX_START),
        shown: whole(attribute('display-levels'), 1, MAX_LISTS_DEEP),
      }
    }
  }

  text(): void {}

  close(name: string): void {
    if (name === 'list-style' || name === 'outline-style') this.levels = null
  }

  get(name: string | null): readonly (ListLevel | undefined)[] {
    return this.lists.get(name ?? '') ?? []
  }
}

/** Returns a whole number of an attribute within bounds; 1 without one. */
export function whole(value: string | null, min: number, max: number): number {
  const number = Math.trunc(Number(value ?? 1))
  return Number.isNaN(number) ? 1 : Math.min(Math.max(number, min), max)
}
