import type { Readable } from 'node:stream'
import { levelIndex } from './numbering.ts'
import { readXml } from '../package/xml.ts'
import { DOCX_XML } from './zip.ts'

/** What a style says about its paragraphs. */
export interface ParagraphStyle {
  /** Level of a heading, from 1; 0 for body text. */
  heading: number
  /** Word's ID of the list that the paragraph is an item of, and the depth from 0; null if the list says it. */
  numbering: { id: string; level: number | null } | null
}

/** The styles by Word's ID. */
export type ParagraphStyles = ReadonlyMap<string, ParagraphStyle>

/** A style as the file has it. */
interface StyleEntry {
  name: string
  basedOn: string | null
  outline: number | null
  numbering: { id: string | null; level: number | null } | null
}

/** Styles can be based on one another in a circle. */
const MAX_ANCESTORS = 20
/** Word knows these styles even if the file doesn't define them. */
const BUILT_IN = /^Heading([1-9])$/

/**
 * Reads which paragraph styles are headings and lists. A style says so by its built-in name, its outline level or its numbering, or
 * through the style that it is based on.
 */
export async function readStyles(stream: Readable): Promise<ParagraphStyles> {
  const entries = new Map<string, StyleEntry>()
  let style: StyleEntry | null = null
  await readXml(stream, DOCX_XML, {
    open({ name, attribute }) {
      const value = attribute('val')
      if (name === 'style') {
        const id = attribute('type') === 'paragraph' ? attribute('styleId') : null
        style = id === null ? null : { name: '', basedOn: null, outline: null, numbering: null }
        if (id !== null && style !== null) entries.set(id, style)
      } else if (style === null) return
      else if (name === 'name') style.name = (value ?? '').toLowerCase()
      else if (name === 'basedOn') style.basedOn = value
      else if (name === 'outlineLvl') style.outline = headingLevel(value)
      else if (name === 'numPr') style.numbering = { id: null, level: null }
      else if (name === 'numId' && style.numbering !== null) style.numbering.id = value
      else if (name === 'ilvl' && style.numbering !== null) style.numbering.level = levelIndex(value)
    },
  })
  return new Map(
    [...entries].map(([id, { name }]) => {
      const chain = ancestors(id, entries)
      const heading = /^title$/.test(name) ? 1 : name === 'subtitle' ? 2 : firstOf(chain, ownHeading)
      // A style can take the list from the style that it is based on, and only set the depth.
      const list = firstOf(chain, (each) => each.numbering?.id ?? null)
      return [
        id,
        {
          heading: heading ?? 0,
          numbering:
            list === null || list === '0' ? null : { id: list, level: firstOf(chain, (each) => each.numbering?.level ?? null) },
        },
      ]
    }),
  )
}

/** Returns the heading level of a paragraph, 0 for none. */
export function headingOf(styles: ParagraphStyles, style: string | null, outline: number | null): number {
  if (outline !== null) return outline
  if (style === null) return 0
  return styles.get(style)?.heading ?? Number(BUILT_IN.exec(style)?.[1] ?? 0)
}

/** Converts an outline level of Word, where 0 is the highest and 9 is body text. Null if there is none. */
export function headingLevel(value: string | null): number | null {
  const level = Number(value ?? Number.NaN)
  if (!Number.isInteger(level) || level < 0) return null
  return level < 9 ? level + 1 : 0
}

function ownHeading({ name, outline }: StyleEntry): number | null {
  const named = /^heading ([1-9])$/.exec(name)?.[1]
  return named === undefined ? outline : Number(named)
}

/** Returns the style and the styles that it is based on, the nearest first. */
function ancestors(id: string, styles: ReadonlyMap<string, StyleEntry>): StyleEntry[] {
  const chain: StyleEntry[] = []
  for (let next: string | null = id; next !== null && chain.length < MAX_ANCESTORS;) {
    const style = styles.get(next)
    if (style === undefined) break
    chain.push(style)
    next = style.basedOn
  }
  return chain
}

function firstOf<T>(chain: readonly StyleEntry[], read: (style: StyleEntry) => T | null): T | null {
  for (const style of chain) {
    const found = read(style)
    if (found !== null) return found
  }
  return null
}
