import { cleanTitle } from '../blocks/clean-title.ts'
import type { Package } from './package.ts'

/** Titles that programs write themselves. */
const DEFAULT_TITLE =
  /^(?:PowerPoint[ -]?Pr.sentation|Pr.sentation PowerPoint|Slide 1|Folie 1|Diapositive 1|untitled|Microsoft (?:Word|Excel|PowerPoint).*)$/i

/** Returns the title in the properties of a document; null if it has none of its own. */
export async function readTitle(parts: Package, part: string): Promise<string | null> {
  let title: string | null = null
  let isInside = false
  await parts.readOptionalXml(part, {
    open({ name }) {
      if (name !== 'title' || title !== null) return
      isInside = true
      title = ''
    },
    text(text) {
      if (isInside) title += text
    },
    close(name) {
      if (name === 'title') isInside = false
    },
  })
  const text = cleanTitle(title)
  return text === null || DEFAULT_TITLE.test(text) ? null : text
}
