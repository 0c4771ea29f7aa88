import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Import {
  /** As in the source: `../core/ids.ts`, `koa`, `node:fs`. */
  request: string
  /** True for an `import('…')` that runs, and not for one that only names a type. */
  dynamic: boolean
}

export interface Source {
  /** Relative to src/, with slashes: `core/ids.ts`. */
  path: string
  folder: string
  lines: number
  imports: Import[]
  /** The text of every string and template literal; for a template, its first part. */
  literals: string[]
  /** `process.exit` and the like: every member access on an identifier, as `object.property`. */
  members: Set<string>
}

interface Node {
  type: string
  [key: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const entry of value) walk(entry, visit)
  } else if (isNode(value)) {
    visit(value)
    for (const entry of Object.values(value)) if (typeof entry === 'object') walk(entry, visit)
  }
}

const name = (value: unknown): string | null => (isNode(value) && value.type === 'Identifier' ? String(value['name']) : null)
const text = (value: unknown): string | null => (isNode(value) && typeof value['value'] === 'string' ? value['value'] : null)

/** Returns `./worker` for a template such as `./worker${extension}`. */
function beginning(value: unknown): string | null {
  if (!isNode(value) || value.type !== 'TemplateLiteral') return null
  const [first] = value['quasis'] as { value: { raw: string } }[]
  return first?.value.raw ?? null
}

/** Reads a source with all its imports: type-only, dynamic, re-exports, `import('…').Type` and `new URL('./worker.ts', import.meta.url)`. */
export function readSource(path: string, code: string): Source {
  const { program, errors } = parseSync(path, code)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const source: Source = {
    path,
    folder: path.split('/')[0] ?? '',
    lines: code.split('\n').length,
    imports: [],
    literals: [],
    members: new Set(),
  }
  const add = (request: unknown, dynamic = false) => {
    const written = text(request)
    if (written !== null) source.imports.push({ request: written, dynamic })
  }
  walk(program, (node) => {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration':
        add(node['source'])
        break
      case 'ImportExpression':
        add(node['source'], true)
        break
      case 'TSImportType':
        add(node['source'] ?? node['argument'])
        break
      case 'NewExpression':
        // The name of a worker or a child process, which is the only link between the two files.
        if (name(node['callee']) === 'URL' && Array.isArray(node['arguments']) && node['arguments'].length === 2) {
          const file = text(node['arguments'][0]) ?? beginning(node['arguments'][0])
          if (file !== null && /^\.{1,2}\/[^.]*(\.tsx?)?$/.test(file)) source.imports.push({ request: file, dynamic: true })
        }
        break
      case 'MemberExpression':
        if (name(node['object']) && name(node['property']))
          source.members.add(`${name(node['object'])}.${name(node['property'])}`)
        break
      case 'Literal':
        if (typeof node['value'] === 'string') source.literals.push(node['value'])
        break
      case 'TemplateLiteral': {
        const [first] = node['quasis'] as { value: { raw: string } }[]
        if (first) source.literals.push(first.value.raw)
        break
      }
    }
  })
  return source
}

export function readSources(): Source[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path))
    .toSorted()
    .map((path) => readSource(path, readFileSync(join(root, 'src', path), 'utf8')))
}

/** Returns the folder of src/ that a relative request leads to; null for a package and for files outside src/. */
export function targetFolder(source: Source, request: string): string | null {
  if (!request.startsWith('.')) return null
  const target = relative('/src', join('/src', source.path, '..', request)).replaceAll('\\', '/')
  const [folder = ''] = target.split('/')
  return folder === '..' ? null : folder
}

/** Returns `@scope/name` or `name` of a request for a package, and a `node:` module as it is. */
export function packageName(request: string): string | null {
  if (request.startsWith('.')) return null
  if (request.startsWith('node:')) return request
  return request
    .split('/')
    .slice(0, request.startsWith('@') ? 2 : 1)
    .join('/')
}
