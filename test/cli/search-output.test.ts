import { readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { runCommand } from '../support/cli.ts'
import { errorCode } from '../support/codes.ts'
import { answerWith, json, problem, type Received, result, scriptedInstance, uploaded } from '../support/scripted-instance.ts'

async function search(answer: object, args: string[], options: Parameters<typeof runCommand>[1] = {}) {
  const instance = await scriptedInstance({ 'POST /api/v1/search': answer })
  const run = await runCommand(['search', ...args], {
    ...options,
    env: { DOCSEARCH_SERVER: instance.url, DOCSEARCH_TOKEN: 'dsk_x', ...options.env },
  })
  return { ...run, sent: () => JSON.parse(instance.requests[0]!.body.toString()) as Record<string, unknown> }
}

test('prints each result on a pipe as one line path:page:text', async () => {
  const run = await search(
    answerWith([result({ name: 'a\nb.pdf', text: 'one\r\n\ttwo\fthree\u001b[31m' }), result({ rank: 2 })]),
    ['rent'],
  )
  expect(run.stdout).toBe('a b.pdf:2:one two three\ufffd[31m\nlease.pdf:2:The rent is due on the third working day.\n')
  expect(run).toMatchObject({ code: 0, stderr: '' })
})

test('on a pipe prints the line for formats without pages, and at most 300 characters around the words of the query', async () => {
  const text = `${'before it.\n'.repeat(60)}The rent is due. ${'After it. '.repeat(60)}`
  const at = text.indexOf('rent')
  const one = result({ text, highlights: [[at, at + 4]] })
  const answer = answerWith([{ ...one, document: { ...one.document, path: 'a/b.md' }, chunk: { ...one.chunk, line: 41 } }])
  const run = await search(answer, ['rent'])
  expect(run.sent()).toEqual({ query: 'rent', lines: true })
  const [path, line, snippet] = run.stdout.trimEnd().split(':')
  expect(path).toBe('a/b.md')
  // The line with the word, not that in which the snippet begins.
  expect(Number(line)).toBe(41 + 60)
  expect(snippet).toContain('The rent is due. After')
  expect(snippet!.length).toBeLessThanOrEqual(300)
  expect((await search(answer, ['rent', '--full'])).stdout).toBe(`a/b.md:101:${text.replaceAll('\n', ' ').trim()}\n`)
})

test('an instance that does not know lines is asked without them', async () => {
  const sent: unknown[] = []
  const instance = await scriptedInstance({
    'POST /api/v1/search': ({ body }: Received, response: ServerResponse) => {
      const request = JSON.parse(body.toString()) as object
      sent.push(request)
      const errors = [{ path: '', message: 'Unrecognized key: "lines"' }]
      if ('lines' in request) problem(response, 400, errorCode('invalid_request'), 'The request is invalid.', { errors })
      else json(response, 200, answerWith([result()]))
    },
  })
  const run = await runCommand(['search', 'rent'], { env: { DOCSEARCH_SERVER: instance.url, DOCSEARCH_TOKEN: 'dsk_x' } })
  expect(run).toMatchObject({ code: 0, stdout: 'lease.pdf:2:The rent is due on the third working day.\n' })
  expect(sent).toEqual([{ query: 'rent', lines: true }, { query: 'rent' }])
})

test('on a terminal, source code keeps its lines, and the line of the first match follows the path', async () => {
  const lines = Array.from({ length: 30 }, (_, i) =>
    i === 20 ? 'export function payRentOnTime(day: number): void {' : `\tconst line${i} = ${i}`,
  )
  const text = lines.join('\n')
  const at = text.indexOf('payRent')
  const one = result({ text, highlights: [[at, at + 7]] })
  const document = { ...one.document, path: 'src/rent.ts', media_type: 'text/x-source' }
  const code = { ...one, document, location: 'lines 41–70' }
  const { stdout } = await search(answerWith([code]), ['rent'], { terminal: 80 })
  expect(plain(stdout).trimEnd().split('\n')).toEqual([
    '1. src/rent.ts:61 · Terms › Rent  0.91',
    '    const line19 = 19',
    '   export function payRentOnTime(day: number): void {',
    '    const line21 = 21',
  ])
})

test.each([50, 80])('on a terminal of %i columns, a long place is cut before the line is full', async (columns) => {
  const one = { ...result(), location: 'message of 3 May 2024 from Countess Augusta Ada King of Lovelace, the first programmer' }
  const { stdout } = await search(answerWith([one]), ['rent'], { terminal: columns })
  const [header] = plain(stdout).split('\n')
  expect(header!.length).toBeLessThanOrEqual(columns)
  expect(header).toMatch(/^1\. lease\.pdf · message of 3 May 20.*…  0\.91$/)
})

/** A passage of thirty lines with the words of the query in line 20. */
const long = Array.from({ length: 30 }, (_, i) => (i === 20 ? 'The rent is due.' : `This is line ${i}.`)).join('\n')
const longResult = (rank = 1) => {
  const at = long.indexOf('rent')
  return result({ rank, text: long, highlights: [[at, at + 4]] })
}

test('on a terminal ten results take at most fifty lines, each with three lines around the words of the query', async () => {
  const run = await search(answerWith(Array.from({ length: 10 }, (_, i) => longResult(i + 1))), ['rent'], { terminal: 80 })
  const lines = plain(run.stdout).trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(50)
  expect(lines.slice(0, 5)).toEqual([
    '1.  lease.pdf · page 2 · Terms › Rent  0.91',
    '    This is line 19.',
    '    The rent is due.',
    '    This is line 21.',
    '',
  ])
})

test('--context prints more lines, and --full the whole passage', async () => {
  const linesOf = async (...args: string[]) =>
    plain((await search(answerWith([longResult()]), ['rent', ...args], { terminal: 80 })).stdout)
      .trimEnd()
      .split('\n')
  expect(await linesOf('-C', '2')).toHaveLength(1 + 3 + 2 * 2)
  expect(await linesOf('--full')).toHaveLength(1 + 30)
  expect(await linesOf('--context', '100')).toHaveLength(1 + 30)
})

test('on a terminal joins the lines of a paragraph, but keeps items and rows apart', async () => {
  const text =
    'The tenant pays the rent in advance, on the third\nworking day of each month, to the account of the owner.\n\n- an item that is long enough to fill a line\n- another'
  const run = await search(answerWith([result({ text })]), ['rent', '--full'], { terminal: 200 })
  expect(plain(run.stdout).trimEnd().split('\n').slice(1)).toEqual([
    '   The tenant pays the rent in advance, on the third working day of each month, to the account of the owner.',
    '   - an item that is long enough to fill a line',
    '   - another',
  ])
})

test('a narrow terminal shortens path and heading to one line; a wide one shows the project if there are several', async () => {
  const one = result({})
  const path = 'contracts/2026/northern region/leases/old mill/lease.pdf'
  const deep = { ...one, document: { ...one.document, path } }
  const other = { ...deep, rank: 2, document: { ...deep.document, project: { id: 'prj_2', name: 'archive' } } }
  const head = async (width: number, results: unknown[]) =>
    plain((await search(answerWith(results), ['rent'], { terminal: width })).stdout).split('\n')[0]!
  const narrow = await head(50, [deep])
  expect(narrow.length).toBeLessThanOrEqual(50)
  expect(narrow).toMatch(/^1\. contracts.*….*lease\.pdf · page 2  0\.91$/)
  expect(await head(200, [deep])).toBe(`1. ${path} · page 2 · Terms › Rent  0.91`)
  expect(await head(200, [deep, other])).toBe(`1. ${path} · page 2 · default · Terms › Rent  0.91`)
})

test('--url prints the links and -l the paths, each once', async () => {
  const answer = answerWith([result(), result({ rank: 2 }), result({ rank: 3, name: 'b.pdf' })])
  expect((await search(answer, ['rent', '-l'])).stdout).toBe('lease.pdf\nb.pdf\n')
  const urls = (await search(answer, ['rent', '--url'])).stdout.trimEnd().split('\n')
  expect(urls).toHaveLength(3)
  expect(urls[0]).toMatch(/^http:\/\/127\.0\.0\.1:4747\/documents\/doc_1\?/)
  expect((await search(answer, ['rent', '--url', '-l'])).code).toBe(2)
})

test('prints rank, path, page, heading and the wrapped passage with marked words on a terminal', async () => {
  const text = 'The rent is due on the third working day of every month and not later.'
  const run = await search(
    answerWith([
      result({
        text,
        highlights: [
          [4, 8],
          [37, 43],
        ],
      }),
    ]),
    ['rent'],
    { terminal: 44 },
  )
  const [head, ...passage] = run.stdout.trimEnd().split('\n')
  expect(plain(head!)).toBe('1. lease.pdf · page 2 · Terms › Rent  0.91')
  expect(passage.map(plain)).toEqual(['   The rent is due on the third working day', '   of every month and not later.'])
  expect(run.stdout).toContain('\u001b[1m\u001b[33mrent\u001b[39m\u001b[22m')
  // A highlight across a line break is marked on both lines.
  expect(run.stdout).toContain('\u001b[1m\u001b[33mday\u001b[39m\u001b[22m\n   \u001b[1m\u001b[33mof\u001b[39m\u001b[22m every')
})

test.each([
  [{ TERM_PROGRAM: 'iTerm.app' }, [], true],
  [{ VTE_VERSION: '7600' }, [], true],
  [{ TERM: 'xterm-kitty' }, [], true],
  [{}, [], false],
  [{ VTE_VERSION: '7600', TMUX: '/tmp/tmux' }, [], false],
  [{ VTE_VERSION: '7600', NO_COLOR: '1' }, [], false],
  [{ VTE_VERSION: '7600' }, ['--no-color'], false],
])('on a terminal with %j %j, the name is a link to the passage: %s', async (env, args, linked) => {
  const run = await search(answerWith([result({})]), ['rent', ...args], { terminal: 80, env })
  expect(run.stdout.includes('\u001b]8;;http://127.0.0.1:4747/documents/doc_1?')).toBe(linked)
  expect(run.stdout.includes(']8;')).toBe(linked)
})

test('prints no link for an address that could end the escape sequence, or without an address', async () => {
  for (const url of ['http://x/\u001b\\\u001b[2J', 'javascript:alert(1)', 'http://x/\u009c', undefined]) {
    const run = await search(answerWith([{ ...result({}), url }]), ['rent'], { terminal: 80, env: { VTE_VERSION: '7600' } })
    expect(run.stdout).not.toContain(']8;')
  }
})

test('prints the table header and the other documents with the same text', async () => {
  const one = result({})
  const chunk = { ...one.chunk, context: 'Year | Rent' }
  const also_in = [{ id: 'doc_2', name: 'copy.pdf', page_start: 7 }]
  const run = await search(answerWith([{ ...one, chunk, also_in }]), ['rent', '--full'], {
    terminal: 80,
  })
  const lines = run.stdout.split('\n').map(plain)
  expect(lines[0]).toContain(' · 1 copy · ')
  expect(lines).toContain('   Year | Rent')
  expect(lines).toContain('   also in copy.pdf (page 7)')
})

test('--explain shows the parts of a score, largest first', async () => {
  const stage = { rank: 1, score: 0.9 }
  const rerank = { ...stage, features: { bm25: 0.3, vector: 0, window_15: 0.4 } }
  const explain = { keyword: stage, vector: null, fused: stage, rerank }
  const run = await search(answerWith([{ ...result({}), explain }]), ['rent', '--explain'], { terminal: 80 })
  expect(plain(run.stdout)).toContain('rerank #1 (0.900) = window_15 0.400 + bm25 0.300\n')
})

test.each([
  { args: ['--no-color'], env: {} },
  { args: [], env: { NO_COLOR: '1' } },
  { args: [], env: { TERM: 'dumb' } },
])('no escape sequence with $args $env', async ({ args, env }) => {
  const run = await search(answerWith([result({ highlights: [[4, 8]] })]), ['rent', ...args], { terminal: 80, env })
  expect(run.stdout).not.toContain('\u001b')
})

test('never prints escape sequences and direction marks of a document', async () => {
  const evil = '\u001b]0;owned\u0007 \u009b2J \u202egnp.exe \r over'
  const run = await search(answerWith([result({ name: evil, text: evil, highlights: [[0, 3]] })]), ['x', '--no-color'], {
    terminal: 80,
  })
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  expect(run.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  for (const args of [['--json'], ['--format', 'jsonl'], ['--format', 'csv'], ['-l']]) {
    const other = await search(answerWith([result({ name: evil, text: evil })]), ['x', ...args])
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    expect(other.stdout.replaceAll('\r\n', '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  }
})

test('exits with 1 without results, and reports documents that are not searchable yet', async () => {
  const run = await search(answerWith([], { pending_documents: 2 }), ['rent'])
  expect(run).toMatchObject({ code: 1, stdout: '' })
  expect(run.stderr).toContain('2 documents are not searchable yet.')
})

test('reports that results were left out, but not for an instance of an earlier version', async () => {
  const run = await search(answerWith([result(), result()], { truncated: true }), ['rent'])
  expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('The answer has only 2 results') })
  expect((await search(answerWith([result()], { truncated: undefined }), ['rent'])).stderr).toBe('')
  expect((await search(answerWith([result()], { truncated: true }), ['rent', '--quiet'])).stderr).toBe('')
})

test.each([{ terminal: 80 }, {}])(
  'reports a correction on standard error, with the option to avoid it ($terminal)',
  async (options) => {
    const corrected = answerWith([result()], { query: 'rnet', corrected_query: 'rent\u001b[2J' })
    const run = await search(corrected, ['rnet'], options)
    expect(run.stderr).toBe('Showing results for rent\ufffd[2J. To search for rnet, add --no-correct.\n')
    expect(run.stdout).not.toContain('Showing')
    expect((await search(corrected, ['rnet', '--quiet'], options)).stderr).toBe('')
    expect(JSON.parse((await search(corrected, ['rnet', '--json'], options)).stdout)).toMatchObject({
      corrected_query: 'rent\u001b[2J',
    })
    expect((await search(answerWith([result()]), ['rnet', '--no-correct'], options)).sent()).toMatchObject({
      query: 'rnet',
      correct: false,
    })
  },
)

test('reports a search in keyword mode only, and why', async () => {
  const run = await search(
    answerWith([result()], { mode: 'keyword', mode_reason: 'Searched by keywords only: Ollama does not answer.' }),
    ['rent'],
  )
  expect(run.stderr).toBe('Searched by keywords only: Ollama does not answer.\n')
  const quiet = await search(
    answerWith([result()], { mode: 'keyword', mode_reason: 'Searched by keywords only: Ollama does not answer.' }),
    ['rent', '--quiet'],
  )
  expect(quiet.stderr).toBe('')
})

test('reports on standard error that it searched for the words of a phrase, with the option to avoid it', async () => {
  const relaxed = answerWith([result()], { query: '"due rent"', relaxed_phrases: ['due rent', 'x\u001b[2J'] })
  expect((await search(relaxed, ['"due rent"'])).stderr).toBe(
    'No passage contains "due rent" and "x\ufffd[2J". Showing results for the words. To search only for the exact text, add --no-correct.\n',
  )
  expect((await search(answerWith([result()], { relaxed_phrases: undefined }), ['rent'])).stderr).toBe('')
})

test('reports that spelling correction stopped, and why', async () => {
  const stopped = answerWith([result()], { correction_reason: 'Spelling correction stopped\u001b[2J.' })
  expect((await search(stopped, ['rent'])).stderr).toBe('Spelling correction stopped\ufffd[2J.\n')
  expect((await search(stopped, ['rent', '--quiet'])).stderr).toBe('')
})

test('prints the answer as json, one result per line as jsonl, quoted cells as csv, and each name once with -l', async () => {
  const answer = answerWith([result({ text: 'a "b", c' }), result({ rank: 2 })])
  expect(JSON.parse((await search(answer, ['x', '--format', 'json'])).stdout)).toEqual(answer)
  expect(JSON.parse((await search(answer, ['--json', 'x'])).stdout)).toEqual(answer)
  const lines = (await search(answer, ['x', '--format', 'jsonl'])).stdout.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { rank: number }).rank)).toEqual([1, 2])
  const csv = (await search(answer, ['x', '--format', 'csv'])).stdout.split('\r\n')
  expect(csv[1]).toBe('1,0.91,doc_1,lease.pdf,lease.pdf,default,2,2,Terms › Rent,"a ""b"", c"')
  expect((await search(answer, ['x', '-l'])).stdout).toBe('lease.pdf\n')
})

test('csv puts an apostrophe before formulas, and -l keeps the format', async () => {
  const answer = answerWith([result({ name: '=1+1.txt', text: '@SUM(A1) and more' }), result({ rank: 2, name: 'a,b.txt' })])
  const csv = (await search(answer, ['rent', '--format', 'csv'])).stdout
  expect(csv).toContain(",'=1+1.txt,")
  expect(csv).toContain(",'@SUM(A1) and more\r\n")
  const hidden = ['a;=1', 'b\n+1', 'c;"=1"', 'd\t @1', '＝1', '＋1', '－1', '＠1', ';\u3000-1', 'x=1, y-1; z']
  const cells = (await search(answerWith(hidden.map((text) => result({ text }))), ['rent', '--format', 'csv'])).stdout
  for (const cell of [
    "a;'=1",
    '"b\n\'+1"',
    '"c;\'""=1"""',
    "d\t' @1",
    "'＝1",
    "'＋1",
    "'－1",
    "'＠1",
    ";'\u3000-1",
    '"x=1, y-1; z"',
  ])
    expect(cells).toContain(`,${cell}\r\n`)
  expect((await search(answer, ['rent', '-l', '--format', 'csv'])).stdout).toBe('path\r\n\'=1+1.txt\r\n"a,b.txt"\r\n')
  expect((await search(answer, ['rent', '-l', '--format', 'jsonl'])).stdout).toBe('"=1+1.txt"\n"a,b.txt"\n')
})

test('sends only the given flags in the request', async () => {
  const run = await search(answerWith([result()]), [
    'rent',
    'due',
    '--project',
    'a',
    '-p',
    'b',
    '--limit',
    '5',
    '--mode',
    'keyword',
    '--sort',
    'newest',
    '--no-rerank',
    '--group',
    '--explain',
    '--offset',
    '20',
    '--tag',
    'signed',
    '-t',
    'draft',
    '--type',
    'pdf',
    '--path',
    'leases/',
    '--after',
    '2026-01-31T10:00:00+01:00',
    '--from',
    'ada',
    '--to',
    'bob@example.org',
    '--subject',
    'ferry times',
    '--sent-after',
    '2025-01-31T10:00:00+01:00',
    '--sent-before',
    '2025-02-01T00:00:00Z',
    '--json',
  ])
  expect(run.sent()).toEqual({
    query: 'rent due',
    project: ['a', 'b'],
    limit: 5,
    mode: 'keyword',
    sort: 'newest',
    rerank: false,
    group_by: 'document',
    explain: true,
    offset: 20,
    filter: {
      tags: ['signed', 'draft'],
      media_types: ['application/pdf'],
      path_prefix: 'leases/',
      created_after: '2026-01-31T09:00:00.000Z',
      from: 'ada',
      to: 'bob@example.org',
      subject: 'ferry times',
      sent_after: '2025-01-31T09:00:00.000Z',
      sent_before: '2025-02-01T00:00:00.000Z',
    },
  })
  expect((await search(answerWith([result()]), ['rent'], { terminal: 80 })).sent()).toEqual({ query: 'rent' })
  expect((await search(answerWith([result()]), ['--no-rerank', '--', '--json', '-l'])).sent()).toEqual({
    query: '--json -l',
    rerank: false,
    lines: true,
  })
})

test('a day of --after and --before begins at midnight here; a day that does not exist is refused', async () => {
  const { sent } = await search(answerWith([result()]), ['rent', '--after', '2026-03-01', '--before', '2026-03-02', '--json'])
  const [from, to] = [new Date(2026, 2, 1), new Date(2026, 2, 2)].map((day) => day.toISOString())
  expect(sent()).toEqual({ query: 'rent', filter: { created_after: from, created_before: to } })
  for (const day of ['2026-02-31', '2026-3-1', 'yesterday', '2026-03-01T12:00']) {
    const run = await search(answerWith([result()]), ['rent', '--before', day])
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('a day such as 2026-03-31') })
  }
})

test('--open downloads the original and opens it with the extension of its format', async () => {
  const bytes = Buffer.from('%PDF-1.7 …')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const instance = await scriptedInstance({
    'POST /api/v1/search': answerWith([result()]),
    'GET /api/v1/documents/doc_1': uploaded('doc_1', '../../evil.command', {
      name: '../../evil.command',
      media_type: 'application/pdf',
      sha256,
    }),
    'GET /api/v1/documents/doc_1/content': (_: unknown, response: { end(body: Buffer): void }) => response.end(bytes),
  })
  const run = await runCommand(['search', 'rent', '--open', '1', '--server', instance.url], { env: { DOCSEARCH_TOKEN: 'dsk_x' } })
  expect(run).toMatchObject({ code: 0, stderr: '' })
  const [file = '', fragment] = run.opened[0]!.split('#')
  expect([basename(file), fragment]).toEqual(['evil.command.pdf', 'page=2'])
  expect(readFileSync(file)).toEqual(bytes)
  const missing = await runCommand(['search', 'rent', '--open', '2', '--server', instance.url], {
    env: { DOCSEARCH_TOKEN: 'dsk_x' },
  })
  expect(missing).toMatchObject({ code: 2, opened: [] })
})

test('asks for a missing query on a terminal, and reports it on a pipe', async () => {
  expect((await search(answerWith([result()]), [])).code).toBe(2)
  const asked = await search(answerWith([result()]), ['-l'], { terminal: 80, prompts: { input: async () => 'rent' } })
  expect(asked.sent()).toEqual({ query: 'rent', group_by: 'document' })
})

function plain(line: string): string {
  // oxlint-disable-next-line no-control-regex -- styles are taken off
  return line.replace(/\u001b\[\d+m/g, '')
}

test('--min-score leaves out results, and finds nothing if all are below it', async () => {
  const answer = answerWith([
    { ...result(), score: 0.8 },
    { ...result({ rank: 2, name: 'b.pdf' }), score: 0.49 },
  ])
  expect((await search(answer, ['rent', '--min-score', '.5', '-l'])).stdout).toBe('lease.pdf\n')
  expect(await search(answer, ['rent', '--min-score', '0.9'])).toMatchObject({ code: 1, stdout: '' })
  expect((await search(answer, ['rent', '--min-score', '2'])).code).toBe(2)
})

test.each([
  [['--context', '2'], '--context shows more lines on a terminal only'],
  [['--explain'], 'Add --json'],
  [['--json', '--format', 'csv'], 'contradict each other'],
])('refuses %j on a pipe, where it would change nothing', async (args, message) => {
  const run = await search(answerWith([result()]), ['rent', ...args])
  expect([run.code, run.stdout]).toEqual([2, ''])
  expect(run.stderr).toContain(message)
})

test('-l asks for one result of each document, so that --limit counts documents', async () => {
  const run = await search(answerWith([result()]), ['rent', '-l', '-n', '3', '--path', './contracts/'])
  expect(run.sent()).toMatchObject({ group_by: 'document', limit: 3, filter: { path_prefix: 'contracts/' } })
})

test('--min-score applies to what is found while typing', async () => {
  const { url } = await scriptedInstance({ 'POST /api/v1/search': answerWith([{ ...result({ rank: 1 }), score: 0.9 }]) })
  const shown: unknown[] = []
  const run = await runCommand(['search', '--min-score', '0.95'], {
    env: { DOCSEARCH_SERVER: url, DOCSEARCH_TOKEN: 'dsk_x' },
    terminal: 80,
    prompts: {
      browse: async ({ find }) => {
        shown.push(await find('rent', new AbortController().signal))
        return null
      },
    },
  })
  expect(run).toMatchObject({ code: 0, opened: [] })
  expect(shown).toEqual([{ items: [], note: 'No results.' }])
})
