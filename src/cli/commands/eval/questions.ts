import { usage } from '../../exit.ts'

export interface Expected {
  /** Name, path or id. */
  document: string
  page: number | null
}

export interface JudgedQuestion {
  /** Where it begins in the file, from 1. */
  line: number
  query: string
  projects: string[]
  expect: Expected[]
}

interface Fault {
  line: number
  message: string
}

/** A value with the lines its parts begin on, by their path in it. */
interface Entry {
  value: unknown
  lineOf(path: (string | number)[]): number
}

/**
 * Reads judged questions: a list in YAML (or JSON), or one JSON object a line. Throws DocsearchError `usage` with every fault of the file at once,
 * each with its line.
 */
export async function readQuestions(file: string, text: string): Promise<JudgedQuestion[]> {
  const faults: Fault[] = []
  const entries = isJsonLines(text) ? jsonLines(text, faults) : await yamlList(text, faults)
  const questions = entries.flatMap((entry) => question(entry, faults))
  if (faults.length === 0 && questions.length > 0) return questions
  if (faults.length === 0) throw usage(`${file} has no question in it.`)
  const lines = faults.toSorted((a, b) => a.line - b.line).map(({ line, message }) => `${file}:${line}: ${message}`)
  throw usage(`${file} has ${lines.length === 1 ? 'a fault' : `${lines.length} faults`}:\n${lines.join('\n')}`)
}

/** YAML that begins like this has one object only. */
function isJsonLines(text: string): boolean {
  return /^\uFEFF?\s*\{/.test(text)
}

function jsonLines(text: string, faults: Fault[]): Entry[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((content, i) => {
      if (content.trim() === '') return []
      const line = i + 1
      try {
        return [{ value: JSON.parse(content) as unknown, lineOf: () => line }]
      } catch (error) {
        faults.push({ line, message: `not valid JSON: ${(error as Error).message}` })
        return []
      }
    })
}

async function yamlList(text: string, faults: Fault[]): Promise<Entry[]> {
  const { isNode, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number): number => lines.linePos(offset).line || 1
  for (const { pos, message } of [...document.errors, ...document.warnings]) {
    faults.push({ line: at(pos[0]), message: `not valid YAML: ${message}` })
  }
  if (faults.length > 0) return []
  let list: unknown
  try {
    list = document.toJS()
  } catch (error) {
    faults.push({ line: 1, message: `not valid YAML: ${(error as Error).message}` })
    return []
  }
  if (list === null) return []
  if (!Array.isArray(list)) {
    faults.push({ line: 1, message: 'must be a list of questions, each beginning with `- query:`' })
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

function question({ value, lineOf }: Entry, faults: Fault[]): JudgedQuestion[] {
  const before = faults.length
  const fault = (message: string, ...path: (string | number)[]): void => void faults.push({ line: lineOf(path), message })
  if (!isObject(value)) {
    fault('a question must have `query` and `expect`')
    return []
  }
  namesIn(value, ['query', 'project', 'expect'], (name, message) => fault(message, name))
  const query = value['query']
  if (typeof query !== 'string' || query.trim() === '') fault('`query` must be the question, as text', 'query')
  else if (query.length > 4000) fault('`query` may have 4,000 characters', 'query')
  const project = value['project'] ?? []
  const projects = Array.isArray(project) ? project : [project]
  if (!projects.every((name) => typeof name === 'string' && name !== '')) {
    fault('`project` must be an id or a name, as text, or a list of them', 'project')
  }
  const expect = value['expect']
  const expected: Expected[] = []
  if (!Array.isArray(expect) || expect.length === 0) fault('`expect` must be a list with at least one `document`', 'expect')
  else {
    for (const [i, one] of expect.entries()) {
      const found = expectation(one, (message, ...path) => fault(message, 'expect', i, ...path))
      if (found !== null) expected.push(found)
    }
  }
  if (faults.length > before) return []
  return [{ line: lineOf([]), query: query as string, projects: projects as string[], expect: expected }]
}

function expectation(value: unknown, fault: (message: string, ...path: string[]) => void): Expected | null {
  if (!isObject(value)) {
    fault('what is expected must have a `document`')
    return null
  }
  namesIn(value, ['document', 'page'], (name, message) => fault(message, name))
  const { document, page = null } = value
  if (typeof document !== 'string' || document === '') {
    const quotes = typeof document === 'number' || typeof document === 'boolean' ? '; put it in quotes' : ''
    fault(`\`document\` must be a name, a path or an id, as text${quotes}`, 'document')
    return null
  }
  if (page !== null && !(typeof page === 'number' && Number.isInteger(page) && page > 0)) {
    fault('`page` must be a whole number from 1 on', 'page')
    return null
  }
  return { document, page }
}

function namesIn(value: object, known: readonly string[], fault: (name: string, message: string) => void): void {
  for (const name of Object.keys(value)) {
    if (!known.includes(name)) fault(name, `unknown field \`${name}\`; there are ${known.map((one) => `\`${one}\``).join(', ')}`)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
