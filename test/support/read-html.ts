import { Parser } from 'htmlparser2'

export interface ReadElement {
  tag: string
  attributes: Record<string, string>
  /** Index of the form that contains the element. */
  form: number | null
  text: string
}

/** Returns the elements of a page in order, each with its text, including the text of inner elements. */
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
