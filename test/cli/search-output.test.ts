import { readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { runCommand } from '../support/cli.ts'
import { answerWith, result, scriptedInstance, uploaded } from '../support/scripted-instance.ts'

async function search(answer: object, args: string[], options: Parameters<typeof runCommand>[1] = {}) {
  const instance = await scriptedInstance({ 'POST /api/v1/search': answer })
  const run = await runCommand(['search', ...args], {
    ...options,
    env: { DOCSEARCH_SERVER: instance.url, DOCSEARCH_TOKEN: 'dsk_x', ...options.env },
  })
  return { ...run, sent: () => JSON.parse(instance.requests[0]!.body.toString()) as Record<string, unknown> }
}

test('prints each result on a pipe as one line name:page:text', async () => {
  const run = await search(
    answerWith([result({ name: 'a\nb.pdf', text: 'one\r\n\ttwo\fthree\u001b[31m' }), result({ rank: 2 })]),
    ['rent'],
  )
  expect(run.stdout).toBe('a b.pdf:2:one two three\ufffd[31m\nlease.pdf:2:The rent is due on the third working day.\n')
  expect(run).toMatchObject({ code: 0, stderr: '' })
})

test('prints rank, name, page, project, heading and the wrapped passage with marked words on a terminal', async () => {
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
  const [head, heading, ...passage] = run.stdout.trimEnd().split('\n')
  expect(plain(head!)).toBe('1. lease.pdf · page 2 · default  0.91')
  expect(plain(heading!)).toBe('   Terms › Rent')
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
  const run = await search(answerWith([{ ...one, chunk, also_in }]), ['rent'], { terminal: 80 })
  const lines = run.stdout.split('\n').map(plain)
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
    expect((await search(answerWith([result()]), ['rnet', '--no-correct'], options)).sent()).toEqual({
      query: 'rnet',
      correct: false,
    })
  },
)

test('reports a search in keyword mode only, and why', async () => {
  const run = await search(answerWith([result()], { mode: 'keyword', mode_reason: 'Ollama does not answer' }), ['rent'])
  expect(run.stderr).toBe('Searched in keyword mode only: Ollama does not answer\n')
  const quiet = await search(answerWith([result()], { mode: 'keyword', mode_reason: 'Ollama does not answer' }), [
    'rent',
    '--quiet',
  ])
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
  expect((await search(answer, ['rent', '-l', '--format', 'csv'])).stdout).toBe('name\r\n\'=1+1.txt\r\n"a,b.txt"\r\n')
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
  })
  expect((await search(answerWith([result()]), ['rent'])).sent()).toEqual({ query: 'rent' })
  expect((await search(answerWith([result()]), ['--', '--json', '-l'])).sent()).toEqual({ query: '--json -l' })
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
  expect(run.opened.map((file) => basename(file))).toEqual(['evil.command.pdf'])
  expect(readFileSync(run.opened[0]!)).toEqual(bytes)
  await rm(dirname(run.opened[0]!), { recursive: true })
  const missing = await runCommand(['search', 'rent', '--open', '2', '--server', instance.url], {
    env: { DOCSEARCH_TOKEN: 'dsk_x' },
  })
  expect(missing).toMatchObject({ code: 2, opened: [] })
})

test('asks for a missing query on a terminal, and reports it on a pipe', async () => {
  expect((await search(answerWith([result()]), [])).code).toBe(2)
  const asked = await search(answerWith([result()]), [], { terminal: 80, prompts: { input: async () => 'rent' } })
  expect(asked.sent()).toEqual({ query: 'rent' })
})

function plain(line: string): string {
  // oxlint-disable-next-line no-control-regex -- styles are taken off
  return line.replace(/\u001b\[\d+m/g, '')
}
