import { DrawingText, together } from './drawing-text.ts'
import type { Package } from '../package/package.ts'
import type { XmlHandlers } from '../package/xml.ts'

/** A chart with more labels is a plot of data. */
const MAX_LABELS = 200

/** Returns the texts of a chart: its titles, and the names of its series and categories. Its figures mean nothing without their axes. */
export async function readChart(parts: Package, part: string): Promise<string[]> {
  const texts = new Set<string>()
  const add = (text: string): void => {
    if (texts.size < MAX_LABELS) texts.add(text.replace(/\s+/g, ' ').trim())
  }
  let cache = 0
  let value: string | null = null
  const labels: XmlHandlers = {
    open({ name }) {
      if (name === 'strCache') cache++
      else if (name === 'v' && cache > 0) value = ''
    },
    text(text) {
      if (value !== null) value += text
    },
    close(name) {
      if (name === 'strCache') cache--
      if (name !== 'v' || value === null) return
      if (value.trim() !== '') add(value)
      value = null
    },
  }
  await parts.readOptionalXml(part, together(labels, new DrawingText(({ text }) => add(text))))
  return [...texts]
}

/** Returns the texts of a diagram (SmartArt), in the order of its data. */
export async function readDiagram(parts: Package, part: string): Promise<string[]> {
  const texts: string[] = []
  await parts.readOptionalXml(part, new DrawingText(({ text }) => texts.push(text.replace(/\s+/g, ' '))))
  return texts
}

/** Returns the comments of a slide. Older ones have plain text, newer ones DrawingML. */
export async function readComments(parts: Package, part: string): Promise<string[]> {
  const texts: string[] = []
  let plain: string | null = null
  const older: XmlHandlers = {
    open({ name }) {
      if (name === 'text') plain = ''
    },
    text(text) {
      if (plain !== null) plain += text
    },
    close(name) {
      if (name !== 'text' || plain === null) return
      if (plain.trim() !== '') texts.push(plain)
      plain = null
    },
  }
  await parts.readOptionalXml(part, together(older, new DrawingText(({ text }) => texts.push(text))))
  return texts
}
