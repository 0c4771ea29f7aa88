import { HtmlParser } from '../html/html-parser.ts'

/** Returns the texts of a page that is an SVG drawing, each `<text>` as a line. */
export function svgText(source: string): string[] {
  const lines: string[] = []
  let depth = 0
  const parser = new HtmlParser(
    {
      onopentag(name) {
        if (name !== 'text' && name !== 'svg:text') return
        if (depth++ === 0) lines.push('')
      },
      ontext(text) {
        if (depth > 0) lines[lines.length - 1] += text
      },
      onclosetag(name) {
        if ((name === 'text' || name === 'svg:text') && depth > 0) depth--
      },
    },
    { xmlMode: true },
  )
  parser.end(source)
  return lines
}
