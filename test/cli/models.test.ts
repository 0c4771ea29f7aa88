import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ModelList, ModelPullLine, ModelUsed } from '../../src/contract/models.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type CliOptions, runCommand } from '../support/cli.ts'
import { type FakeOllama, startFakeOllama } from '../support/fake-ollama.ts'
import { EMBEDDINGGEMMA, makeModel } from '../support/fake-ollama-model.ts'
import { json, type Received, scriptedInstance } from '../support/scripted-instance.ts'
import { until } from '../support/until.ts'

let ollama: FakeOllama
let app: TestApp
beforeEach(async () => {
  ollama = await startFakeOllama()
  app = await startTestApp({ ollamaUrl: ollama.url })
})
afterEach(async () => {
  await app?.close()
  await ollama?.close()
})

const run = (args: string[], options: CliOptions = {}) =>
  runCommand(args, { ...options, env: { DOCSEARCH_SERVER: app.url, DOCSEARCH_TOKEN: app.alice.key! } })
const holdHoney = () => ollama.hold('/api/embed', ({ input }) => JSON.stringify(input).includes('honey'))

test("list prints a line per model and index, tab-separated on a pipe, and the API's answer with --json", async () => {
  const { code, stdout } = await run(['models'])
  expect(code).toBe(0)
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t').slice(0, 4))
  expect(rows).toEqual([
    ['builtin', 'in use', '1024', '-'],
    ['ollama:embeddinggemma', 'available', '768', '622 MB'],
  ])
  const { models } = JSON.parse((await run(['--json', 'models', 'list'])).stdout) as ModelList
  expect(models.map(({ name }) => name)).toEqual(['builtin', 'ollama:embeddinggemma'])
  await ollama.stop()
  expect((await run(['models', 'ls'])).stderr).toContain('nothing listens')
})

test('pull draws one bar on a terminal, prints only the end on a pipe, and lines with --json', async () => {
  ollama.pulls({ layers: [3_000_000, 1_000_000], steps: 2 }, makeModel('fresh'))
  const shown = await run(['models', 'pull', 'fresh'], { terminal: 100 })
  expect([shown.code, shown.stdout]).toEqual([0, ''])
  expect(shown.stderr).toContain('1.5 MB of 3.0 MB')
  expect(shown.stderr).toContain('100 %  4.0 MB of 4.0 MB')
  const piped = await run(['models', 'pull', 'fresh'])
  expect([piped.code, piped.stdout]).toEqual([0, ''])
  expect(piped.stderr).toBe('Ollama has fresh. To embed the documents with it, run `docsearch models use fresh`.\n')
  const json = await run(['--json', 'models', 'pull', 'fresh'])
  const lines = json.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ModelPullLine)
  expect(lines.at(-1)).toEqual({ status: 'success', completed_bytes: 4_000_000, total_bytes: 4_000_000 })
  expect(json.stderr).toBe('')
})

test('pull reports a failure with its reason, also in the middle, and Ctrl-C ends the download', async () => {
  ollama.pulls({ layers: [10], error: 'unexpected EOF' })
  const failed = await run(['models', 'pull', 'fresh'])
  expect(failed.code).toBe(7)
  expect(failed.stderr).toContain('unexpected EOF')
  expect((await run(['--json', 'models', 'pull', 'fresh'])).stderr).toContain('"pull_failed"')
  ollama.pulls({ layers: [1_000], stopsAfter: 3 })
  const cancel = new AbortController()
  const running = run(['models', 'pull', 'fresh'], {
    terminal: 80,
    signal: cancel.signal,
    onStderr: (text) => text.includes('%') && cancel.abort(),
  })
  expect((await running).code).toBe(130)
  await until('Ollama to be hung up on', () => ollama.hungUp === 1)
})

test('use reports progress or waits with a bar, and remove asks before it deletes', async () => {
  await app.alice.ready('bees.txt', 'Bees make honey.')
  let held = holdHoney()
  const begun = await run(['models', 'use', 'embeddinggemma'])
  expect(begun).toMatchObject({ code: 0, stdout: expect.stringContaining('0 of 1 document') })
  const bar = run(['models', 'use', 'embeddinggemma', '--wait'], {
    terminal: 100,
    wait: async () => held.release(),
  })
  const done = await bar
  expect(done.stdout).toBe('ollama:embeddinggemma is in use\n')
  expect(done.stderr).toContain('0 of 1 passage')
  expect(JSON.parse((await run(['--json', 'models', 'use', 'embeddinggemma'])).stdout) as ModelUsed).toMatchObject({
    state: 'in_use',
  })
  expect((await run(['models', 'remove', 'builtin'])).code).toBe(2)
  expect((await run(['models', 'remove', 'embeddinggemma', '--yes'])).code).toBe(2)
  expect((await run(['models', 'remove', 'builtin', '--yes'])).code).toBe(0)
  held = holdHoney()
  await run(['models', 'use', 'builtin', '--wait'], { wait: () => Promise.resolve() })
  expect((await run(['models'])).stdout.split('\n')[0]).toMatch(/^builtin\tin use/)
  held.release()
})

test('Ctrl-C during use --wait ends the waiting but not the change, and an unknown model exits with 2', async () => {
  await app.alice.ready('bees.txt', 'Bees make honey.')
  const held = holdHoney()
  const cancel = new AbortController()
  const waited = await run(['models', 'use', 'embeddinggemma', '--wait'], {
    signal: cancel.signal,
    wait: async () => cancel.abort(),
  })
  expect([waited.code, waited.stderr]).toEqual([130, expect.stringContaining('Indexing continues')])
  held.release()
  await until('the change', () => app.backend.lifecycle.active()!.embedder.name === `ollama:${EMBEDDINGGEMMA.name.split(':')[0]}`)
  const absent = await run(['models', 'use', 'absent'])
  expect([absent.code, absent.stderr]).toEqual([2, expect.stringContaining('models pull absent')])
})

test('use says that no process has begun to build the index, and with --wait asks until one has', async () => {
  const used = (state: ModelUsed['state'], notice: string | null): ModelUsed => ({
    model: 'ollama:m',
    state,
    documents_done: 0,
    documents_total: 0,
    notice,
  })
  let asked = 0
  const { url } = await scriptedInstance({
    'POST /api/v1/models/use': (_: Received, response: ServerResponse) =>
      json(response, 200, ++asked < 3 ? used('requested', 'Start a worker.') : used('in_use', null)),
  })
  const use = (...flags: string[]) =>
    runCommand(['models', 'use', 'm', ...flags], {
      env: { DOCSEARCH_SERVER: url, DOCSEARCH_TOKEN: 'ds_1' },
      wait: () => Promise.resolve(),
    })
  const first = await use()
  expect(first.stdout).toBe('Requested ollama:m. Searches use the current index until the new one is complete.\n')
  expect(first.stderr).toContain('Start a worker.')
  const waited = await use('--wait')
  expect([asked, waited.stdout]).toEqual([3, 'ollama:m is in use\n'])
  expect(waited.stderr).toContain('Waiting: Start a worker.')
})
