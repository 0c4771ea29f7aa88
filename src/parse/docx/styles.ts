import type { Readable } from 'node:stream'
import { readXml } from './xml.ts'

/** What a paragraph is by its style. */
export interface ParagraphStyle {
  /** Level of a heading, from 1; 0 for body text. */
  heading: number
  /** The list that it is an item of, by Word's id, and its depth from 0. */
  numbering: { id: string; level: number } | null
}

/** By Word's id. */
export type ParagraphStyles = ReadonlyMap<string, ParagraphStyle>

interface Written {
  name: string
  basedOn: string | null
  outline: number | null
  numbering: { id: string | null; level: number } | null
}

/** Styles may be based on one another in a circle. */
const MAX_STEPS = 20
/** Word defines these without writing them down. */
const BUILT_IN = /^Heading([1-9])$/

/** Reads which paragraph styles are headings and lists, by their built-in names, outline levels and numbering, or those of what they are based on. */
export async function readStyles(stream: Readable): Promise<ParagraphStyles> {
  const written = new Map<string, Written>()
  let style: Written | null = null
  await readXml(stream, {
    open({ name, attribute }) {
      const value = attribute('val')
      if (name === 'style') {
        const id = attribute('type') === 'paragraph' ? attribute('styleId') : null
        style = id === null ? null : { name: '', basedOn: null, outline: null, numbering: null }
        if (id !== null && style !== null) written.set(id, style)
      } else if (style === null) return
      else if (name === 'name') style.name = (value ?? '').toLowerCase()
      else if (name === 'basedOn') style.basedOn = value
      else if (name === 'outlineLvl') style.outline = headingLevel(value)
      else if (name === 'numPr') style.numbering = { id: null, level: 0 }
      else if (name === 'numId' && style.numbering !== null) style.numbering.id = value
      else if (name === 'ilvl' && style.numbering !== null) style.numbering.level = Number(value)
    },
  })
  return new Map(
    [...written].map(([id, { name }]) => {
      const chain = ancestors(id, written)
      const heading = /^title$/.test(name) ? 1 : name === 'subtitle' ? 2 : firstOf(chain, ownHeading)
      const numbering = firstOf(chain, (each) => each.numbering)
      return [
        id,
        {
          heading: heading ?? 0,
          numbering:
            numbering === null || numbering.id === null || numbering.id === '0' ? null : { ...numbering, id: numbering.id },
        },
      ]
    }),
  )
}

/** Level of the heading that a paragraph is, 0 for none. */
export function headingOf(styles: ParagraphStyles, style: string | null, outline: number | null): number {
  if (outline !== null) return outline
  if (style === null) return 0
  return styles.get(style)?.heading ?? Number(BUILT_IN.exec(style)?.[1] ?? 0)
}

/** Outline levels count from 0; 9 is body text. Null where none is given. */
export function headingLevel(value: string | null): number | null {
  const level = Number(value ?? Number.NaN)
  if (!Number.isInteger(level) || level < 0) return null
  return level < 9 ? level + 1 : 0
}

function ownHeading({ name, outline }: Written): number | null {
  const named = /^heading ([1-9])$/.exec(name)?.[1]
  return named === undefined ? outline : Number(named)
}

/** The style and what it is based on, the nearest first. */
function ancestors(id: string, styles: ReadonlyMap<string, Written>): Written[] {
  const chain: Written[] = []
  for (let next: string | null = id; next !== null && chain.length < MAX_STEPS;) {
    const style = styles.get(next)
    if (style === undefined) break
    chain.push(style)
    next = style.basedOn
  }
  return chain
}

function firstOf<T>(chain: readonly Written[], read: (style: Written) => T | null): T | null {
  for (const style of chain) {
    const found = read(style)
    if (found !== null) return found
  }
  return null
}
