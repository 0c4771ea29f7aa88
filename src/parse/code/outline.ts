import type { Definition, Syntax } from './language.ts'
import { MAX_LINE_CHARS, type SourceLine } from './source-lines.ts'

/** How many lines after its name a function may have before its body begins. */
const MAX_SIGNATURE_LINES = 12
const MAX_TITLE_CHARS = 120
/** The type of a function can be on the line above its name. */
const TYPE_ALONE = /^[A-Za-z_][\w \t*&:<>,]*$/

/** A part of source code that begins at a line: a definition, or the text after the end of one. */
export interface Section {
  /** Index of its first line. */
  line: number
  /** Depth from 1. */
  level: number
  /** Empty for what follows a definition. */
  title: string
}

interface Open {
  indent: number
  isContainer: boolean
  /** The column of its members; null before the first one. */
  memberIndent: number | null
}

/**
 * Finds the definitions of source code by their first lines, and their ends by the indentation: a definition ends before the next line that is not
 * indented more. So code with unbalanced brackets, or that doesn't compile, still has an outline.
 */
export function outlineOf(text: string, lines: readonly SourceLine[], language: Syntax): Section[] {
  return new Outline(text, lines, language).read()
}

class Outline {
  private readonly text: string
  private readonly lines: readonly SourceLine[]
  private readonly language: Syntax
  private readonly open: Open[] = []
  private readonly sections: Section[] = []

  constructor(text: string, lines: readonly SourceLine[], language: Syntax) {
    this.text = text
    this.lines = lines
    this.language = language
  }

  read(): Section[] {
    const { lines, language } = this
    if (language.definitions === undefined) return []
    for (const [index, line] of lines.entries()) {
      if (line.isInside || line.isComment || line.first === line.end) continue
      const code = this.text.slice(line.first, Math.min(line.end, line.first + MAX_LINE_CHARS))
      if (language.decorator?.test(code) === true) continue
      if (language.continuation?.test(code) === true) continue
      this.readLine(index, line, code)
    }
    return this.sections
  }

  private readLine(index: number, line: SourceLine, code: string): void {
    const depth = this.open.length
    if (this.language.isFlat !== true) while ((this.open.at(-1)?.indent ?? -1) >= line.indent) this.open.pop()
    const found = this.definitionAt(index, line, code)
    if (found !== null) {
      if (this.language.isFlat === true) this.open.pop()
      this.begin(index, found.title)
      this.open.push({ indent: line.indent, isContainer: found.definition.isContainer === true, memberIndent: null })
    } else if (this.open.length < depth) this.begin(index, '')
  }

  private begin(index: number, title: string): void {
    const line = this.above(index)
    const last = this.sections.at(-1)
    // The type of a function on a line of its own looked like code after the definition before.
    if (last !== undefined && last.line >= line && last.title === '') this.sections.pop()
    this.sections.push({ line, level: this.open.length + 1, title })
  }

  private definitionAt(index: number, line: SourceLine, code: string): { definition: Definition; title: string } | null {
    const parent = this.language.isFlat === true ? undefined : this.open.at(-1)
    if (parent !== undefined) {
      if (!parent.isContainer) return null
      parent.memberIndent ??= line.indent
      if (line.indent !== parent.memberIndent) return null
    }
    for (const definition of this.language.definitions!) {
      if (parent === undefined ? definition.isMember : definition.isOutermost) continue
      const groups = definition.pattern.exec(code)?.groups
      if (groups === undefined || (definition.needsBody === true && !this.hasBody(index))) continue
      const title = [groups['kind'], groups['name']].join(' ').replace(/\s+/g, ' ').trim()
      if (title !== '') return { definition, title: title.slice(0, MAX_TITLE_CHARS).toWellFormed() }
    }
    return null
  }

  /** Returns whether a brace comes before the semicolon that ends a declaration. */
  private hasBody(index: number): boolean {
    for (const { start, end, isComment } of this.lines.slice(index, index + MAX_SIGNATURE_LINES)) {
      if (isComment) continue
      const mark = /[{;]/.exec(this.text.slice(start, Math.min(end, start + MAX_LINE_CHARS)))?.[0]
      if (mark !== undefined) return mark === '{'
    }
    return false
  }

  /** Returns the first of the lines directly above that belong to a line: comments, decorators, the type of a function. */
  private above(index: number): number {
    const { lines, language } = this
    const { indent } = lines[index]!
    const from = (this.sections.at(-1)?.line ?? -1) + (this.sections.at(-1)?.title === '' ? 0 : 1)
    let first = index
    for (; first > from; first--) {
      const line = lines[first - 1]!
      if (line.first === line.end) break
      const code = this.text.slice(line.first, Math.min(line.end, line.first + MAX_LINE_CHARS))
      const isAlike = line.isComment || (line.indent === indent && language.decorator?.test(code) === true)
      const isType = first === index && language.lineComments?.[0] === '//' && line.indent === indent && TYPE_ALONE.test(code)
      if (!isAlike && !(isType && !line.isInside)) break
    }
    return first
  }
}
