/** The labels that a Markdown file defines, in lower case: of links (`[label]: target`) and of footnotes (`[^label]: text`). */
export type References = ReadonlySet<string>

/** The first line of a footnote. */
export interface Note {
  label: string
  text: string
}

/** CommonMark's limit. It also bounds the work for lines full of brackets. */
export const MAX_LABEL = 999

const LABEL = /^ {0,3}\[((?:[^[\]\\]|\\.){1,999})\]:(?!\()/
/** A target and perhaps a title. A line with anything else is text. */
const TARGET = /^[ \t]*(<[^<>]*>|[^\s<]\S*)(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/
/** What an address or a path contains, and a single word, such as the name in a list of literature, does not. */
const ADDRESS = /[/#.:@?<]/

export function readReferences(lines: readonly string[]): References {
  const labels = new Set<string>()
  for (const line of lines) {
    if (!line.includes(']:')) continue
    const unquoted = line.replace(/^[ \t>]+/, '')
    const note = noteOf(unquoted)
    const label = note === null ? linkLabelOf(unquoted) : `^${note.label}`
    if (label !== null) labels.add(normalize(label))
  }
  return labels
}

export function isDefined(references: References, label: string): boolean {
  return label.length <= MAX_LABEL && references.has(normalize(label))
}

/** Returns the label of a line that only says where a link leads; null for any other line. */
export function linkLabelOf(line: string): string | null {
  const [all, label] = LABEL.exec(line) ?? []
  if (all === undefined || label === undefined || label.startsWith('^') || label.trim() === '') return null
  const target = TARGET.exec(line.slice(all.length))?.[1]
  return target !== undefined && ADDRESS.test(target) ? label : null
}

/** Returns label and text of a line that begins a footnote; null for any other line. */
export function noteOf(line: string): Note | null {
  const [all, label] = LABEL.exec(line) ?? []
  if (all === undefined || label === undefined || !/^\^\S/.test(label)) return null
  return { label: label.slice(1), text: line.slice(all.length).trim() }
}

function normalize(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase()
}
