import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Outcome } from '../../src/cli/commands/eval/measures.ts'
import { runCommand, testFolder } from '../support/cli.ts'
import { answerWith, json, problem, result, scriptedInstance } from '../support/scripted-instance.ts'
import { errorCode } from '../support/codes.ts'

/** The results of each question as `name:page`, best first. */
type Answers = Record<string, string[]>

const LEASE = `
- query: when is the rent due
  expect: [{ document: lease.pdf, page: 2 }]
- query: how do I clean it
  project: kitchen
  expect:
    - document: manual.md
- query: who planted the trees
  expect: [{ document: trees.pdf, page: 7 }, { document: doc_oak }]
`
const ANSWERS: Answers = {
  'when is the rent due': ['lease.pdf:1', 'lease.pdf:2'],
  'how do I clean it': ['manual.md:1', 'other.md:1'],
  'who planted the trees': ['a.pdf:1', 'b.pdf:3', 'c.pdf:1', 'd.pdf:1'],
}

async function instance(answers: Answers, more: object = {}) {
  const asked: Record<string, unknown>[] = []
  const { url } = await scriptedInstance({
    'POST /api/v1/search': ({ body }: { body: Buffer }, response: never) => {
      const request = JSON.parse(body.toString()) as { query: string }
      asked.push(request)
      const found = answers[request.query]
      if (found === undefined) return problem(response, 404, errorCode('project_not_found'), 'There is no project kitchen.')
      const results = found.map((one, i) => result({ rank: i + 1, name: one.split(':')[0]!, page: Number(one.split(':')[1]) }))
      json(response, 200, answerWith(results, more))
    },
  })
  return { asked, env: { DOCSEARCH_SERVER: url, DOCSEARCH_TOKEN: 'dsk_x' } }
}

function fileOf(text: string, name = 'questions.yaml'): string {
  const file = join(testFolder(), name)
  writeFileSync(file, text)
  return file
}

async function evaluate(answers: Answers, args: string[] = [], text = LEASE, more: object = {}) {
  const { env, asked } = await instance(answers, more)
  const run = await runCommand(['eval', fileOf(text), ...args], { env })
  return { ...run, asked, env, outcome: () => JSON.parse(run.stdout) as Outcome }
}

test('measures hit rates, MRR and nDCG by document, and by page if pages are given', async () => {
  const run = await evaluate(ANSWERS, ['--json'])
  expect(run.code).toBe(0)
  const { measures, questions } = run.outcome()
  // The ranks by document are 1, 1 and none; by page 2 and none.
  expect(measures.document).toEqual({ questions: 3, hit_1: 2 / 3, hit_5: 2 / 3, hit_10: 2 / 3, mrr: 2 / 3, ndcg_10: 2 / 3 })
  expect(measures.page).toEqual({
    questions: 2,
    hit_1: 0,
    hit_5: 0.5,
    hit_10: 0.5,
    mrr: 0.25,
    ndcg_10: expect.closeTo(0.5 / Math.log2(3)),
  })
  expect(questions.map(({ line }) => line)).toEqual([2, 4, 8])
  expect(run.asked).toEqual([
    { query: 'when is the rent due', limit: 10 },
    { query: 'how do I clean it', limit: 10, project: ['kitchen'] },
    { query: 'who planted the trees', limit: 10 },
  ])
})

test('a document is found by name, path or ID and counts once; every expected document counts', async () => {
  const text = '- {query: q, expect: [{document: a.txt}, {document: doc_1}]}'
  const answers = { q: ['x.txt:1', 'x.txt:2', 'a.txt:1'] }
  // The id of every scripted result is doc_1.
  const { measures } = (await evaluate(answers, ['--json'], text)).outcome()
  const best = 1 + 1 / Math.log2(3)
  expect(measures.document).toMatchObject({ hit_1: 1, ndcg_10: expect.closeTo((1 + 1 / Math.log2(4)) / best) })
  const both = (await evaluate({ q: ['a.txt:1'] }, ['--json'], text)).outcome()
  expect(both.measures.document).toMatchObject({ hit_1: 1, ndcg_10: 1 })
})

test('prints a table, and for each missed question the expected and the found documents', async () => {
  const { env } = await instance(ANSWERS)
  const run = await runCommand(['eval', fileOf(LEASE), '--no-color'], { env, terminal: 100 })
  expect(run.stdout.split('\n').map((line) => line.trimEnd())).toEqual([
    '             QUESTIONS  HIT@1  HIT@5  HIT@10  MRR    NDCG@10',
    'by document  3          0.667  0.667  0.667   0.667  0.667',
    'by page      2          0.000  0.500  0.500   0.250  0.315',
    '',
    '1 question without the expected answer in the first 10 results:',
    '  line 8: who planted the trees',
    '    expected trees.pdf:7, doc_oak',
    '    found    a.pdf:1, b.pdf:3, c.pdf:1',
    '',
  ])
  expect(run.stderr).toContain('\r\u001b[K2 of 3 questions')
  expect(run.stderr.endsWith('\r\u001b[K')).toBe(true)
})

test('flags become the request, and a pipe gets no progress', async () => {
  const run = await evaluate(ANSWERS, ['--mode', 'keyword', '--no-rerank', '--limit', '5', '--group'], LEASE, { mode: 'keyword' })
  expect(run.asked[0]).toEqual({ query: 'when is the rent due', limit: 5, mode: 'keyword', rerank: false, group_by: 'document' })
  expect(run.stderr).toBe('')
})

test('reports searches that ran with limitations', async () => {
  const rerank = { applied: false, model: null, took_ms: 1, reason: 'The model did not answer.' }
  expect((await evaluate(ANSWERS, [], LEASE, { rerank })).stderr).toBe('Limitation for 3 questions: The model did not answer.\n')
  const mode = { mode: 'keyword', mode_reason: 'Ollama is away.' }
  expect((await evaluate(ANSWERS, ['--json'], LEASE, mode)).outcome().fallbacks).toEqual([
    { reason: 'Ollama is away.', questions: 3 },
  ])
})

test('reads JSON lines and JSON too', async () => {
  const one = { query: 'when is the rent due', expect: [{ document: 'lease.pdf' }] }
  for (const text of [`\uFEFF${JSON.stringify(one)}\r\n\r\n${JSON.stringify(one)}\r\n`, JSON.stringify([one, one], null, 2)]) {
    expect((await evaluate(ANSWERS, ['--json'], text)).outcome().measures.document).toMatchObject({ questions: 2, hit_1: 1 })
  }
})

test('lists every error of the file with its line, and asks nothing', async () => {
  const text = [
    '- query: fine',
    '  expect: [{ document: a.txt }]',
    '- querry: a typing error',
    '  expect: [{ document: a.txt }]',
    '- query: ""',
    '  expect: []',
    '- just text',
    '- query: q',
    '  project: 7',
    '  expect:',
    '    - document: 2024',
    '    - document: b.txt',
    '      page: 0',
    '    - { document: c.txt, pages: 3 }',
  ].join('\n')
  const run = await evaluate({}, [], text)
  expect(run).toMatchObject({ code: 2, stdout: '', asked: [] })
  const faults = [...run.stderr.matchAll(/questions\.yaml:(\d+): (.*)/g)].map(([, line, message]) => `${line} ${message}`)
  expect(faults).toEqual([
    '3 unknown field `querry`; known fields are `query`, `project`, `expect`',
    '3 `query` must be text',
    '5 `query` must be text',
    '6 `expect` must be a list with at least one `document`',
    '7 a question must have `query` and `expect`',
    '9 `project` must be an ID or name, or a list of them',
    '11 `document` must be a name, path or ID, as text; put it in quotes',
    '13 `page` must be a whole number, 1 or more',
    '14 unknown field `pages`; known fields are `document`, `page`',
  ])
})

test.each([
  ['- query: [', /questions\.yaml:1: not valid YAML/],
  ['query: q\nexpect: []', /:1: must be a list of questions/],
  ['- *b', /:1: not valid YAML: Unresolved alias/],
  ['{"query": "q",\n', /:1: not valid JSON/],
  ['{"query": "q", "expect": [{"document": "a"}]}\n{"query": 1}', /:2: `query` must be text[^]*:2: `expect` must be/],
  ['', /has no questions/],
  ['# nothing\n', /has no questions/],
])('%j is refused', async (text, message) => {
  const run = await evaluate({}, [], text)
  expect(run.code).toBe(2)
  expect(run.stderr).toMatch(message)
})

async function baselineOf(answers: Answers, text = LEASE): Promise<string> {
  return fileOf((await evaluate(answers, ['--json'], text)).stdout, 'before.json')
}

test('--baseline shows the change, and --max-drop turns a drop into an exit code', async () => {
  const worse: Answers = { ...ANSWERS, 'how do I clean it': ['other.md:1', 'manual.md:1'] }
  const baseline = await baselineOf(ANSWERS)
  const shown = await evaluate(worse, ['--baseline', baseline])
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toContain('change\t\t-0.333\t=\t=\t-0.167\t-0.123\n')
  const held = await evaluate(worse, ['--baseline', baseline, '--max-drop', '0.3'])
  expect(held.code).toBe(3)
  expect(held.stderr).toContain('document hit_1 dropped by 0.333, which is more than 0.3.')
  expect(held.stdout).toContain('by document')
  expect(await evaluate(worse, ['--baseline', baseline, '--max-drop', '0.34'])).toMatchObject({ code: 0 })
  expect(await evaluate(ANSWERS, ['--baseline', baseline, '--max-drop', '0'])).toMatchObject({ code: 0 })
  const better = await evaluate(ANSWERS, ['--baseline', await baselineOf(worse), '--max-drop', '0', '--json'])
  expect(better).toMatchObject({ code: 0 })
  expect(better.outcome().comparison).toMatchObject({ drop: 0, dropped_most: null })
})

test('--max-drop applies to the measures by page too', async () => {
  const worse: Answers = { ...ANSWERS, 'when is the rent due': ['lease.pdf:1', 'lease.pdf:9'] }
  const run = await evaluate(worse, ['--baseline', await baselineOf(ANSWERS), '--max-drop', '0.1'])
  expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining('page hit_5 dropped by 0.500') })
})

test('leaves out questions that only one run has, and says so', async () => {
  const baseline = await baselineOf(ANSWERS)
  const more = `${LEASE}\n- query: new\n  expect: [{ document: new.txt }]\n`
  const run = await evaluate({ ...ANSWERS, new: [] }, ['--baseline', baseline, '--max-drop', '0'], more)
  expect(run).toMatchObject({ code: 0, stderr: 'Compared the 3 questions that both runs have. Questions in only one run: 1.\n' })
  const other = await evaluate({ new: [] }, ['--baseline', baseline], '- {query: new, expect: [{document: n}]}')
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('none of the questions') })
})

test.each([
  [['--max-drop', '0.1'], /--max-drop needs --baseline/],
  [['--max-drop', '7', '--baseline', 'x'], /a number from 0 to 1/],
  [['--baseline', '/nowhere/before.json'], /Cannot read/],
  [['--limit', '0'], /from 1 to 100/],
])('%j is wrong usage', async (args, message) => {
  const run = await evaluate(ANSWERS, args)
  expect(run.code).toBe(2)
  expect(run.stderr).toMatch(message)
})

test.each(['{}', '[]', 'null', '{"eval": 1, "settings": {}, "questions": [{"query": 1}]}', 'no'])(
  '%j is not a baseline',
  async (text) => {
    const run = await evaluate(ANSWERS, ['--baseline', fileOf(text, 'before.json')])
    expect(run).toMatchObject({ code: 2, asked: [] })
  },
)

test('exits with 1 when no question found its answer', async () => {
  const none = Object.fromEntries(Object.keys(ANSWERS).map((query) => [query, ['x.txt:1']]))
  expect(await evaluate(none)).toMatchObject({ code: 1 })
})

test('lists a failed question, measures the others and exits with 3', async () => {
  const { 'how do I clean it': _, ...rest } = ANSWERS
  const run = await evaluate(rest)
  expect(run.code).toBe(3)
  expect(run.stderr).toContain('line 4: how do I clean it: There is no project kitchen.')
  expect(run.stdout).toContain('by document\t2\t')
})

test('waits as long as a busy instance asks', async () => {
  let refused = 0
  const { url } = await scriptedInstance({
    'POST /api/v1/search': (_request: unknown, response: never) => {
      if (refused++ < 2) return problem(response, 429, errorCode('rate_limited'), 'Too many.', {}, { 'Retry-After': '7' })
      json(response, 200, answerWith([result()]))
    },
  })
  const waits: number[] = []
  const file = fileOf('- {query: q, expect: [{document: lease.pdf}]}')
  const env = { DOCSEARCH_SERVER: url, DOCSEARCH_TOKEN: 'dsk_x' }
  const run = await runCommand(['eval', file], { env, wait: async (ms) => void waits.push(ms) })
  expect(run.code).toBe(0)
  expect(waits).toEqual([7000, 7000])
})

test('Ctrl-C ends the run without printing measures', async () => {
  const controller = new AbortController()
  const { url } = await scriptedInstance({ 'POST /api/v1/search': () => controller.abort() })
  const env = { DOCSEARCH_SERVER: url, DOCSEARCH_TOKEN: 'dsk_x' }
  const run = await runCommand(['eval', fileOf(LEASE)], { env, signal: controller.signal, terminal: 80 })
  expect(run).toMatchObject({ code: 130, stdout: '' })
  expect(run.stderr).toContain('\r\u001b[Kdocsearch: Cancelled.')
})

test('stops at the first question when the instance is unreachable or refuses the login', async () => {
  const gone = await runCommand(['eval', fileOf(LEASE)], {
    env: { DOCSEARCH_SERVER: 'http://127.0.0.1:9', DOCSEARCH_TOKEN: 'dsk_x' },
  })
  expect(gone.code).toBe(5)
  const { url, requests } = await scriptedInstance({
    'POST /api/v1/search': (_request: unknown, response: never) => problem(response, 401, errorCode('invalid_token'), 'No.'),
  })
  const run = await runCommand(['eval', fileOf(LEASE)], { env: { DOCSEARCH_SERVER: url, DOCSEARCH_TOKEN: 'dsk_x' } })
  expect(run.code).toBe(4)
  expect(requests).toHaveLength(1)
})
