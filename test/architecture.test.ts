import { globSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import config from '../vitest.config.ts'
import { packageName, readSource, readSources, root, targetFolder, type Source } from './support/sources.ts'

/** The layers from the bottom up. A folder may import from the rows above its own; folders in one row may not import each other. */
const LAYERS = [
  ['core'],
  ['contract', 'config', 'text', 'ollama', 'objects', 'telemetry'],
  ['parse', 'chunk', 'embed', 'rerank', 'index', 'records', 'blobs', 'backup'],
  ['lifecycle', 'images'],
  ['ingest', 'search', 'auth', 'oauth', 'webhooks', 'doctor'],
  ['services'],
  ['pages', 'client', 'mcp'],
  ['http'],
  ['serve'],
  ['cli'],
]

/** Folders that may import less than their row allows. */
const NARROW: Record<string, { sees: string[]; because: string }> = {
  pages: {
    sees: ['core', 'contract', 'text'],
    because: 'a page turns props into HTML, so it can be shown without a service behind it',
  },
  client: {
    sees: ['core', 'contract'],
    because: 'the client knows only the API, so that it works with any instance',
  },
  oauth: {
    sees: ['core', 'records'],
    because: 'OAuth is a protocol over the records; requests and logins are handed in',
  },
  webhooks: {
    sees: ['core', 'records'],
    because: 'webhooks/ sends the messages that the records have; services/ decides who may have webhooks',
  },
  services: {
    sees: [
      'core',
      'embed',
      'records',
      'blobs',
      'backup',
      'lifecycle',
      'images',
      'ingest',
      'search',
      'auth',
      'oauth',
      'webhooks',
      'doctor',
    ],
    because: 'services take and return domain types: the wire format is the business of contract/ and http/',
  },
  mcp: {
    sees: ['core', 'contract', 'services'],
    because: 'the tools for agents call the same services as the API, and http/ says who calls',
  },
  http: {
    sees: ['core', 'contract', 'pages', 'mcp', 'services', 'auth', 'oauth'],
    because: 'http/ routes, validates and presents; what docsearch can do is in services/',
  },
  cli: {
    sees: ['core', 'contract', 'config', 'client', 'backup'],
    because: 'the command line uses the public client, like every other program',
  },
}

/** Packages that only some folders may import, and why. */
const PACKAGES: { names: string[]; folders: string[]; because: string }[] = [
  {
    names: ['commander', '@inquirer/prompts', 'open'],
    folders: ['cli'],
    because: 'only the command line talks to a person at a terminal',
  },
  { names: ['tar-stream'], folders: ['backup'], because: 'backup/ checks every block of a tar before the package reads it' },
  { names: ['yaml'], folders: ['cli'], because: 'only a file of judged questions is YAML' },
  { names: ['keytar'], folders: ['client', 'cli'], because: "a keychain belongs to a person's own machine, never to the server" },
  {
    names: ['@lancedb/lancedb', 'apache-arrow'],
    folders: ['index'],
    because: 'a 202 MB native file is loaded in the daemon only, and can be replaced behind PassageIndex',
  },
  {
    names: ['@aws-sdk/client-s3'],
    folders: ['objects'],
    because: 'the build bundles it there, and the others use ObjectStore',
  },
  { names: ['kysely'], folders: ['records'], because: 'SQL lives in records/, so that a second dialect has one place to go' },
  {
    names: ['koa', '@koa/router', 'koa-body', '@fastify/busboy'],
    folders: ['http'],
    because: 'only http/ knows how requests arrive',
  },
  {
    names: ['rate-limiter-flexible'],
    folders: ['http', 'auth'],
    because: 'http/ limits requests and auth/ limits failed logins',
  },
  {
    names: ['preact', 'preact-render-to-string'],
    folders: ['pages', 'http'],
    because: 'pages are made in pages/ and rendered in http/',
  },
  { names: ['ollama'], folders: ['ollama'], because: 'its answers are checked in one place, for whoever asks it' },
  {
    names: ['@modelcontextprotocol/server'],
    folders: ['mcp'],
    because: 'mcp/ is the only folder that knows the protocol of agents',
  },
  {
    names: ['prom-client', '@opentelemetry/api', '@opentelemetry/sdk-trace'],
    folders: ['telemetry'],
    because: 'the others report to the Telemetry that is handed in',
  },
  { names: ['pino'], folders: ['serve'], because: 'the others log to the Logger that is handed in' },
  {
    names: ['@embedpdf/pdfium', 'pdf2json', 'mammoth', 'yauzl', 'saxes', 'htmlparser2', 'jschardet', 'file-type'],
    folders: ['parse'],
    because: 'a hostile file is opened in a parser process only',
  },
]

const sources = readSources()

function layer(folder: string): number {
  return LAYERS.findIndex((row) => row.includes(folder))
}

/** Returns every forbidden import with the reason. */
function wrongImports(source: Source): string[] {
  const wrong: string[] = []
  for (const { request, dynamic } of source.imports) {
    const target = targetFolder(source, request)
    if (target === null || target === source.folder) continue
    const said = `src/${source.path} imports ${request}`
    const narrow = NARROW[source.folder]
    if (layer(target) === -1) wrong.push(`${said}: ${target}/ has no layer; give it a row in test/architecture.test.ts`)
    else if (source.folder === 'cli' && target === 'serve') {
      if (!dynamic)
        wrong.push(
          `${said}: load it with await import(), because serve/ brings the database and LanceDB into every command's start`,
        )
    } else if (narrow && !narrow.sees.includes(target)) wrong.push(`${said}: ${narrow.because}`)
    else if (layer(target) === layer(source.folder))
      wrong.push(`${said}: folders of one layer do not see each other; what they share goes below, what joins them above`)
    else if (layer(target) > layer(source.folder))
      wrong.push(`${said}: ${target}/ is above ${source.folder}/, and imports point to the layers below`)
  }
  return wrong
}

function wrongPackages(source: Source): string[] {
  return source.imports.flatMap(({ request }) => {
    const name = packageName(request)
    const rule = PACKAGES.find((entry) => name !== null && entry.names.includes(name))
    if (!rule || rule.folders.includes(source.folder)) return []
    return [`src/${source.path} imports ${request}, which belongs to ${rule.folders.join(', ')}: ${rule.because}`]
  })
}

/** Returns the first import circle that is reachable from a file, as a list of paths; null when there is none. */
function findCircle(imports: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): string[] | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return null
    for (const target of imports.get(path) ?? []) {
      const circle = visit(target, [...trail, path])
      if (circle !== null) return circle
    }
    done.add(path)
    return null
  }
  for (const path of imports.keys()) {
    const circle = visit(path, [])
    if (circle !== null) return circle
  }
  return null
}

function importGraph(files: readonly Source[]): Map<string, string[]> {
  const target = (path: string, request: string) => posix.join(posix.dirname(path), request)
  return new Map(
    files.map(({ path, imports }) => [
      path,
      imports.flatMap(({ request }) => (request.startsWith('.') ? [target(path, request)] : [])),
    ]),
  )
}

const STATEMENT =
  /^\s*(select\b[^.]*\bfrom\b|insert into\b|update \w+ set\b|delete from\b|(create|drop|alter) (table|index|trigger)\b|pragma\b|begin (immediate|exclusive)\b)/i
/** SQL is all lower or all upper case; a sentence starts with one capital. */
const isSql = (literal: string) => STATEMENT.test(literal) && !/^\s*[A-Z][a-z]/.test(literal)
/** Holds no data, only a lock: the operating system drops SQLite's lock with the process, unlike a lock file. */
const LOCK_ONLY = 'serve/data-folder.ts'

describe('layers', () => {
  test('every folder of src/ has a layer', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map((entry) => entry.name).filter((name) => layer(name) === -1)).toEqual([])
  })

  test('imports point to lower layers, type-only and dynamic ones included', () => {
    expect(sources.flatMap(wrongImports)).toEqual([])
  })

  test('packages are imported only where they may be', () => {
    expect(sources.flatMap(wrongPackages)).toEqual([])
  })
})

test('SQL stays in records/, so that PostgreSQL can come later in one place', () => {
  const found = sources
    .filter((source) => source.folder !== 'records' && source.path !== LOCK_ONLY)
    .flatMap((source) => source.literals.filter(isSql).map((literal) => `src/${source.path}: ${literal.slice(0, 60)}`))
  expect(found).toEqual([])
})

test('only an entry point ends the process; everything else throws, so that it can be used and tested', () => {
  const entries = (source: Source) =>
    ['cli', 'serve'].includes(source.folder) ||
    ['parse/worker/main.ts', 'parse/ocr/supervisor.ts', 'doctor/main.ts'].includes(source.path)
  const found = sources
    .filter((source) => source.members.has('process.exit') && !entries(source))
    .map((source) => `src/${source.path}`)
  expect(found).toEqual([])
})

test('no file imports itself through others, type-only imports included', () => {
  expect(findCircle(importGraph(sources))).toBeNull()
})

test('a file does one job: 500 lines at most', () => {
  expect(sources.filter((source) => source.lines > 500).map((source) => `src/${source.path}: ${source.lines} lines`)).toEqual([])
})

// A rule that reads nothing always passes, so these tests break each rule on purpose.
test('every test file belongs to one of the runs that together run all tests', () => {
  const runs = (config.test?.projects ?? []).flatMap((project) => {
    if (typeof project !== 'object' || !('test' in project)) return []
    const { name, include = [], exclude = [] } = project.test
    return typeof name === 'string' && /^(?:main|alone|all|long|ollama)$/.test(name) ? [{ include, exclude }] : []
  })
  const matches = (file: string, patterns: readonly string[]) => patterns.some((pattern) => posix.matchesGlob(file, pattern))
  const wrong = globSync('test/**/*.test.{ts,tsx}', { cwd: root }).filter(
    (file) => runs.filter(({ include, exclude }) => matches(file, include) && !matches(file, exclude)).length !== 1,
  )
  expect(wrong).toEqual([])
})

describe('the rules find violations', () => {
  const broken = (path: string, code: string) => wrongImports(readSource(path, code))

  test.each([
    ['core/x.ts', "import { a } from '../http/app.ts'"],
    ['index/x.ts', "import type { A } from '../records/records.ts'"],
    ['index/x.ts', "export type { A } from '../records/records.ts'"],
    ['index/x.ts', "export * from '../records/records.ts'"],
    ['search/x.ts', "export const f = () => import('../ingest/ingest.ts')"],
    ['text/x.ts', "export type A = import('../index/passage-index.ts').PassageIndex"],
    ['text/x.ts', "export const worker = new URL('../parse/worker/main.ts', import.meta.url)"],
    ['text/x.ts', 'export const worker = new URL(`../parse/worker/main${extension}`, import.meta.url)'],
    ['client/x.ts', "import type { Config } from '../config/config.ts'"],
    ['cli/x.ts', "import { serve } from '../serve/main.ts'"],
    ['cli/commands/x.ts', "import { a } from '../../search/search.ts'"],
    ['core/x.ts', "import { a } from '../elsewhere/x.ts'"],
  ])('%s: %s', (path, code) => {
    expect(broken(path, code)).toHaveLength(1)
  })

  test('allowed imports pass', () => {
    expect(broken('cli/commands/serve.ts', "export const run = () => import('../../serve/main.ts')")).toEqual([])
    expect(broken('http/api/x.ts', "import type { A } from '../../core/model.ts'; import { b } from '../steps.ts'")).toEqual([])
  })

  test('an import circle is found', () => {
    const files = [
      readSource('http/a.ts', "import type { B } from './b/b.ts'"),
      readSource('http/b/b.ts', "import { a } from '../a.ts'"),
    ]
    expect(findCircle(importGraph(files))).toEqual(['http/a.ts', 'http/b/b.ts', 'http/a.ts'])
  })

  test('packages, SQL and process.exit are found', () => {
    expect(wrongPackages(readSource('http/x.ts', "import type { Table } from '@lancedb/lancedb'"))).toHaveLength(1)
    expect(wrongPackages(readSource('oauth/x.ts', "const koa = await import('koa')"))).toHaveLength(1)
    expect(readSource('http/x.ts', 'const q = `SELECT id FROM users WHERE id = ${1}`').literals.some(isSql)).toBe(true)
    expect(isSql('Select a project from the list')).toBe(false)
    expect(readSource('http/x.ts', 'process.exit(1)').members.has('process.exit')).toBe(true)
  })
})
