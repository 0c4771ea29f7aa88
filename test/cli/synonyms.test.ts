import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { runCommand, testFolder, type CliOptions } from '../support/cli.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ limits: { synonyms: 300 } })
  await app.alice.ready('report.txt', 'Capital expenditure rose by a third.\n', { project: 'reports' })
  await app.alice.post('/api/v1/projects', { name: 'plans' })
})
afterAll(() => app?.close())
beforeEach(() => app.alice.call('PUT', '/api/v1/projects/reports/synonyms', { json: { synonyms: [] } }))

const cli = (args: string, more: readonly string[] = [], options: CliOptions = {}) =>
  runCommand(['synonyms', ...args.split(' '), ...more], {
    ...options,
    env: { DOCSEARCH_SERVER: app.url, DOCSEARCH_TOKEN: app.alice.key!, ...options.env },
  })
const cliJson = async (args: string, more: readonly string[] = []) => {
  const run = await cli(args, [...more, '--json'])
  expect(run.stderr).toBe('')
  return JSON.parse(run.stdout) as Record<string, unknown>
}
const linesOf = async (project = 'reports') => (await cli(`list -p ${project}`)).stdout
const search = async (query: string) => {
  const env = { DOCSEARCH_SERVER: app.url, DOCSEARCH_TOKEN: app.alice.key! }
  return (await runCommand(['search', query, '--mode', 'keyword', '--no-correct', '-p', 'reports', '-l'], { env })).code
}

test('adds, lists and removes synonyms, and searches use them at once', async () => {
  expect(await search('Sachanlagenkauf')).toBe(1)
  const added = await cli('add -p reports', ['Sachanlagenkauf', 'capital expenditure'])
  expect(added).toMatchObject({ code: 0, stderr: '' })
  expect(added.stdout).toMatch(/^Added syn_\w+: Sachanlagenkauf, capital expenditure\n$/)
  expect(await search('Sachanlagenkauf')).toBe(0)
  expect((await cli('add -p reports', ['Capital Expenditure', 'sachanlagenkauf'])).stdout).toMatch(/^Unchanged syn_/)
  await cli('add --one-way -p reports', ['refund', 'reimbursement', 'Smith, John'])
  expect(await linesOf()).toBe('Sachanlagenkauf, capital expenditure\nrefund => reimbursement, Smith\\, John\n')
  const shown = await cli('list -p reports', [], { terminal: 100, env: { NO_COLOR: '1' } })
  expect(shown.stdout).toMatch(/^ID +SYNONYMS\n[0-9a-z]{6} +Sachanlagenkauf, capital expenditure\n/)
  expect(await cliJson('list -p reports')).toMatchObject({ synonyms: [{ expands_to: null }, { words: ['refund'] }] })

  const removed = await cli('remove -p reports --yes', ['capital expenditure,  SACHANLAGENKAUF'])
  expect(removed.stdout).toMatch(/^Removed syn_\w+: Sachanlagenkauf, capital expenditure\n$/)
  expect(await search('Sachanlagenkauf')).toBe(1)
  const { synonyms } = (await cliJson('list -p reports')) as { synonyms: { id: string }[] }
  expect(await cliJson(`remove -p reports --yes ${synonyms[0]!.id}`)).toEqual({ id: synonyms[0]!.id, deleted: true })
})

test('an empty list ends with 1, and a missing project or rule with 2', async () => {
  expect(await cli('list -p reports')).toMatchObject({ code: 1, stdout: '' })
  expect(await cliJson('list -p reports')).toEqual({ synonyms: [] })
  const nowhere = await cli('add -p nowhere a bc')
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('`docsearch projects list`')])
  const missing = await cli('remove -p reports --yes zebra')
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('`docsearch synonyms list`')])
})

test('removes a rule by a word that only one rule has, and asks first', async () => {
  await cli('import -p reports -', [], { stdin: 'tree, oak\ntree, elm\n' })
  const unclear = await cli('remove -p reports --yes tree')
  expect(unclear.code).toBe(2)
  for (const part of ['tree, oak', 'tree, elm', 'syn_']) expect(unclear.stderr).toContain(part)
  expect((await cli('remove -p reports Elm')).stderr).toContain('--yes')
  const ask = (answer: boolean) => cli('remove -p reports Elm', [], { terminal: 80, prompts: { confirm: async () => answer } })
  expect((await ask(false)).code).toBe(130)
  expect((await ask(true)).code).toBe(0)
  expect(await linesOf()).toBe('tree, oak\n')
})

test.each([
  ['the same word twice', ['Tree', 'tree'], 'only one word'],
  ['the same word in one direction', ['--one-way', 'Tree', 'tree'], 'on both sides'],
  ['a word without letters', ['tree', '--', '---'], 'without letters and digits'],
  ['only function words', ['--one-way', 'thing', 'it'], 'would have no effect'],
])('refuses %s', async (_what, args, reason) => {
  const run = await cli('add -p reports', args)
  expect([run.code, run.stdout, run.stderr]).toEqual([2, '', expect.stringContaining(reason)])
  expect(await linesOf()).toBe('')
})

describe('import', () => {
  const file = (content: string | Uint8Array) => {
    const path = join(testFolder(), 'synonyms.txt')
    writeFileSync(path, content)
    return path
  }

  test('reads what list prints, from a file or standard input', async () => {
    const text = '\ufeff# Words for costs\r\n\r\ncapex,  capital expenditure\r\nKfz, PKW => Auto\r\nSmith\\, John, John Smith\r\n'
    const run = await cli('import -p reports', [file(text)])
    expect(run).toMatchObject({ code: 0, stdout: 'Imported 3 rules into project reports: 3 added, 0 unchanged\n' })
    const lines = await linesOf()
    expect(lines).toBe('capex, capital expenditure\nKfz, PKW => Auto\nSmith\\, John, John Smith\n')
    expect((await cli('import -p plans -', [], { stdin: lines })).code).toBe(0)
    expect(await linesOf('plans')).toBe(lines)
    expect(await cliJson('import -p reports', [file('pkw, KFZ => auto\nx1, y1\n')])).toEqual({
      project: 'reports',
      created: 1,
      unchanged: 1,
      removed: 0,
    })
  })

  test('replaces all synonyms with --replace, and asks first', async () => {
    await cli('add -p reports old ancient')
    const path = file('new, recent\n')
    const asked: string[] = []
    const ask = (answer: boolean) =>
      cli('import --replace -p reports', [path], {
        terminal: 80,
        prompts: { confirm: async ({ message }) => asked.push(message) > 0 && answer },
      })
    expect((await ask(false)).code).toBe(130)
    expect(await linesOf()).toBe('old, ancient\n')
    expect((await ask(true)).stdout).toContain('1 added, 0 unchanged, 1 removed')
    expect(asked[0]).toBe('Replace the 1 rule of project reports with 1 rule?')
    expect(await linesOf()).toBe('new, recent\n')
  })

  test('imports nothing from a file with errors, and lists every error with its line', async () => {
    const lines = ['ok, fine', 'alone', '# comment', 'a => b => c', '=> b', `x, ${'y'.repeat(101)}`, ...Array(30).fill('alone')]
    const path = file(lines.join('\n'))
    const run = await cli('import -p reports', [path])
    expect([run.code, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toContain(`${path} has 34 errors. Nothing was imported.`)
    for (const line of [2, 4, 5, 6, 36]) expect(run.stderr).toContain(`${path}:${line}: the rule has`)
    const refused = await cli('import -p reports -', [], { stdin: 'ok, fine\n\nthing => it\n' })
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Standard input:3: the rule would find nothing')])
    expect(await linesOf()).toBe('')
  })

  test.each<[string, string | Uint8Array, string]>([
    ['too many words', Array.from({ length: 151 }, (_, i) => `a${i}, b${i}`).join('\n'), 'limits.synonyms'],
    ['no rules', '# nothing\n', 'has no synonyms'],
    ['another encoding', new Uint8Array([0x61, 0x2c, 0xe4, 0x0a]), 'not text in UTF-8'],
    ['too much text', 'a, b\n'.repeat(500_000), 'more than 2 MB'],
  ])('refuses a file with %s', async (_what, content, reason) => {
    const run = await cli('import -p reports', [file(content)])
    expect([run.code, run.stdout, run.stderr]).toEqual([2, '', expect.stringContaining(reason)])
    expect(await linesOf()).toBe('')
  })

  test('says which file it cannot read', async () => {
    const folder = join(testFolder(), 'folder')
    mkdirSync(folder)
    for (const path of [folder, join(folder, 'missing.txt')]) {
      const run = await cli('import -p reports', [path])
      expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(`Could not read ${path}`)])
    }
  })
})
