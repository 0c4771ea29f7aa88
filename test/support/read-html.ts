import { Parser } from 'htmlparser2'

export interface ReadElement {
  tag: string
  attributes: Record<string, string>
  /** The form it lies in, by its place among the elements. */
  form: number | null
  text: string
}

/** The elements of a page in their order, with the text in each, that of inner ones too. */
export function readHtml(html: string): ReadElement[] {
  const elements: ReadElement[] = []
  const open: ReadElement[] = []
  const parser = new Parser({
    onopentag(tag, attributes) {
      const form = open.findLast((outer) => outer.tag === 'form')
      const element = { tag, attributes, form: form === undefined ? null : elements.indexOf(form), text: '' }
      elements.push(element)
      open.push(element)
    },
    ontext(text) {
      for (const element of open) element.text += text
    },
    onclosetag() {
      open.pop()
    },
  })
  parser.end(html)
  return elements
}
