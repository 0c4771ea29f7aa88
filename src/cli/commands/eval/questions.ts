import { usage } from '../../exit.ts'
import { count } from '../../view/style.ts'

export interface Expected {
  /** Name, path or id. */
  document: string
  page: number | null
}

export interface JudgedQuestion {
  /** First line in the file, from 1. */
  line: number
  query: string
  projects: string[]
  expect: Expected[]
}

interface Problem {
  line: number
  message: string
}

/** A value and the line on which each of its parts starts. */
interface Entry {
  value: unknown
  lineOf(path: (string | number)[]): number
}

/**
 * Reads judged questions from a YAML or JSON list, or from one JSON object per line.
 * Throws DocsearchError `usage` that lists every problem of the file with its line.
 */
export async function readQuestions(file: string, text: string): Promise<JudgedQuestion[]> {
  const problems: Problem[] = []
  const entries = isJsonLines(text) ? jsonLines(text, problems) : await yamlList(text, problems)
  const questions = entries.flatMap((entry) => question(entry, problems))
  if (problems.length === 0 && questions.length > 0) return questions
  if (problems.length === 0) throw usage(`${file} has no questions.`)
  const lines = problems.toSorted((a, b) => a.line - b.line).map(({ line, message }) => `${file}:${line}: ${message}`)
  throw usage(`${file} has ${count(lines.length, 'error')}:\n${lines.join('\n')}`)
}

/** A file that starts with `{` could only be a single object as YAML. */
function isJsonLines(text: string): boolean {
  return /^\uFEFF?\s*\{/.test(text)
}

function jsonLines(text: string, problems: Problem[]): Entry[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((content, i) => {
      if (content.trim() === '') return []
      const line = i + 1
      try {
        return [{ value: JSON.parse(content) as unknown, lineOf: () => line }]
      } catch (error) {
        problems.push({ line, message: `not valid JSON: ${(error as Error).message}` })
        return []
      }
    })
}

async function yamlList(text: string, problems: Problem[]): Promise<Entry[]> {
  const { isNode, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number): number => lines.linePos(offset).line || 1
  for (const { pos, message } of [...document.errors, ...document.warnings]) {
    problems.push({ line: at(pos[0]), message: `not valid YAML: ${message}` })
  }
  if (problems.length > 0) return []
  let list: unknown
  try {
    list = document.toJS()
  } catch (error) {
    problems.push({ line: 1, message: `not valid YAML: ${(error as Error).message}` })
    return []
  }
  if (list === null) return []
  if (!Array.isArray(list)) {
    problems.push({ line: 1, message: 'must be a list of questions, each starting with `- query:`' })
    return []
  }
  return list.map((value: unknown, i) => ({
    value,
    lineOf(path) {
      for (let depth = path.length; depth >= 0; depth--) {
        const node = document.getIn([i, ...path.slice(0, depth)], true)
        if (isNode(node) && node.range) return at(node.range[0])
      }
      return 1
    },
  }))
}

function question({ value, lineOf }: Entry, problems: Problem[]): JudgedQuestion[] {
  const before = problems.length
  const report = (message: string, ...path: (string | number)[]): void => void problems.push({ line: lineOf(path), message })
  if (!isObject(value)) {
    report('a question must have `query` and `expect`')
    return []
  }
  namesIn(value, ['query', 'project', 'expect'], (name, message) => report(message, name))
  const query = value['query']
  if (typeof query !== 'string' || query.trim() === '') report('`query` must be text', 'query')
  else if (query.length > 4000) report('`query` must have at most 4,000 characters', 'query')
  const project = value['project'] ?? []
  const projects = Array.isArray(project) ? project : [project]
  if (!projects.every((name) => typeof name === 'string' && name !== '')) {
    report('`project` must be an ID or name, or a list of them', 'project')
  }
  const expect = value['expect']
  const expected: Expected[] = []
  if (!Array.isArray(expect) || expect.length === 0) report('`expect` must be a list with at least one `document`', 'expect')
  else {
    for (const [i, one] of expect.entries()) {
      const found = expectation(one, (message, ...path) => report(message, 'expect', i, ...path))
      if (found !== null) expected.push(found)
    }
  }
  if (problems.length > before) return []
  return [{ line: lineOf([]), query: query as string, projects: projects as string[], expect: expected }]
}

function expectation(value: unknown, report: (message: string, ...path: string[]) => void): Expected | null {
  if (!isObject(value)) {
    report('each entry of `expect` must have a `document`')
    return null
  }
  namesIn(value, ['document', 'page'], (name, message) => report(message, name))
  const { document, page = null } = value
  if (typeof document !== 'string' || document === '') {
    const quotes = typeof document === 'number' || typeof document === 'boolean' ? '; put it in quotes' : ''
    report(`\`document\` must be a name, path or ID, as text${quotes}`, 'document')
    return null
  }
  if (page !== null && !(typeof page === 'number' && Number.isInteger(page) && page > 0)) {
    report('`page` must be a whole number, 1 or more', 'page')
    return null
  }
  return { document, page }
}

function namesIn(value: object, known: readonly string[], report: (name: string, message: string) => void): void {
  for (const name of Object.keys(value)) {
    if (!known.includes(name))
      report(name, `unknown field \`${name}\`; known fields are ${known.map((one) => `\`${one}\``).join(', ')}`)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
