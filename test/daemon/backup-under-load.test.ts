import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { DocumentList } from '../../src/contract/documents.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { runCli, startRealDaemon, type RealDaemon } from '../support/daemon.ts'
import { generatedText } from '../support/generated-text.ts'
import { makeMail } from '../support/make-mail.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'

const QUERIES = 100
const ENV = { DOCSEARCH_EMBEDDER: 'builtin', DOCSEARCH_LOG_LEVEL: 'error' }
const text = generatedText()
const documents = Array.from({ length: 40 }, (_, i) => text.document(i * 7).content)

async function start(home?: string): Promise<RealDaemon> {
  const daemon = await startRealDaemon({ env: ENV, ...(home !== undefined && { home }) })
  onTestFinished(() => daemon.dispose())
  return daemon
}

async function call(
  daemon: RealDaemon,
  path: string,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(daemon.url + path, { ...init, headers: { Authorization: `Bearer ${await daemon.token()}`, ...init.headers } })
}

async function upload(daemon: RealDaemon, name: string, body: string): Promise<string> {
  const answer = await call(daemon, `/api/v1/upload?name=${name}`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'text/plain' },
  })
  return ((await answer.json()) as { documents: { id: string }[] }).documents[0]!.id
}

async function settled(daemon: RealDaemon): Promise<void> {
  await until('all documents to be processed', async () => {
    const { checks } = (await (await call(daemon, '/api/v1/health')).json()) as {
      checks: { queue: { queued: number; processing: number } }
    }
    return checks.queue.queued + checks.queue.processing === 0
  })
}

/** Returns what searches find, for questions made of words of the documents. */
async function answersOf(daemon: RealDaemon): Promise<unknown[]> {
  const answers: unknown[] = []
  for (let i = 0; i < QUERIES; i++) {
    const words = documents[i % documents.length]!.split(/\s+/)
    const query =
      words
        .slice((i * 13) % 100, ((i * 13) % 100) + 1 + (i % 4))
        .join(' ')
        .replaceAll(/[^\p{L}\p{N} ]/gu, ' ')
        .trim() || 'water'
    const answer = (await (
      await call(daemon, '/api/v1/search', {
        method: 'POST',
        body: JSON.stringify({ query }),
        headers: { 'Content-Type': 'application/json' },
      })
    ).json()) as SearchAnswer
    answers.push({
      query,
      results: answer.results.map(({ document, text, score }) => ({ id: document.id, text, score: score.toFixed(4) })),
    })
  }
  return answers
}

const attached = { type: 'text/plain', name: 'timetable.txt', body: 'The timetable of the ferry.' }
const MAILS = {
  'trip.eml': makeMail({
    attachments: [attached, { type: 'text/plain', name: 'fares.txt', body: 'The fares of the ferry.' }],
  }).toString(),
  'reply.eml': makeMail({ id: 'two@example.org', attachments: [attached] }).toString(),
}

/** Returns the messages and attachments, with the fields that connect them. */
async function mailOf(daemon: RealDaemon): Promise<string[]> {
  const { documents: all } = (await (await call(daemon, '/api/v1/documents?limit=100')).json()) as DocumentList
  return all
    .filter(({ path }) => path.includes('.eml'))
    .map(({ id, parent_id: parent, parent_page: page, path, status, sha256 }) =>
      [id, parent, page, path, status, sha256].join(' '),
    )
    .toSorted()
}

/** Uploads, replaces and deletes documents of a name of their own until it is stopped. */
function load(daemon: RealDaemon): { stop(): Promise<number> } {
  let isStopped = false
  let writes = 0
  const work = (async () => {
    for (let i = 0; !isStopped; i++) {
      const id = await upload(daemon, `busy-${i % 5}.txt`, `busy ${i} ${documents[i % documents.length]}`)
      if (i % 3 === 0) await call(daemon, `/api/v1/documents/${id}?permanent=true`, { method: 'DELETE' })
      writes++
    }
    return writes
  })()
  return { stop: () => ((isStopped = true), work) }
}

test('a backup taken under load restores into an instance that gives the same answers, with and without vectors', async () => {
  const source = await start()
  for (const [i, content] of documents.entries()) await upload(source, `doc-${i}.txt`, content)
  for (const [name, mail] of Object.entries(MAILS)) await upload(source, name, mail)
  await settled(source)
  const folder = await tempFolder()
  const run = (...args: string[]) => runCli(['--json', 'backup', ...args], source.env)
  const busy = load(source)
  // Under load, over the API and next to the daemon. Each of these must be whole.
  for (const args of [
    [join(folder, 'api')],
    [join(folder, 'local'), '--data', source.dataDir],
    [join(folder, 'api'), '--with-vectors'],
  ])
    expect(await run(...args)).toMatchObject({ code: 0 })
  expect(await busy.stop()).toBeGreaterThan(0)
  for (const target of ['api', 'local'])
    expect(await runCli(['backup', 'verify', join(folder, target)], source.env)).toMatchObject({ code: 0 })
  await settled(source)
  const last = await run(join(folder, 'api'), '--with-vectors')
  expect(last).toMatchObject({ code: 0 })
  const again = await run(join(folder, 'api'))
  expect(JSON.parse(again.stdout)).toMatchObject({ new_originals: 0, failed: [], with_vectors: false })
  const expected = await answersOf(source)
  const family = await mailOf(source)
  expect(family).toHaveLength(5)

  for (const [name, state] of [
    [JSON.parse(last.stdout).snapshot, 'restored'],
    [JSON.parse(again.stdout).snapshot, 'rebuilt'],
  ] as [string, string][]) {
    const home = await tempFolder()
    const restored = await runCli(
      ['--json', 'restore', join(folder, 'api'), '--snapshot', name, '--data', join(home, 'instance')],
      source.env,
    )
    expect(restored).toMatchObject({ code: 0 })
    expect(JSON.parse(restored.stdout)).toMatchObject({ index: { state }, missing: [] })
    const copy = await start(home)
    await settled(copy)
    expect(await answersOf(copy)).toEqual(expected)
    expect(await mailOf(copy)).toEqual(family)
    const audit = await runCli(['--json', 'audit', '--action', 'backup.restore', '--data', copy.dataDir], copy.env)
    expect((JSON.parse(audit.stdout) as { events: unknown[] }).events).toHaveLength(1)
    await copy.stop()
  }

  // The backup that was taken under load is as whole: each document of it has its text and its original.
  const home = await tempFolder()
  expect(await runCli(['restore', join(folder, 'local'), '--data', join(home, 'instance')], source.env)).toMatchObject({
    code: 0,
  })
  const copy = await start(home)
  await settled(copy)
  const { documents: all } = (await (await call(copy, '/api/v1/documents?limit=100')).json()) as {
    documents: { id: string; status: string; size_bytes: number }[]
  }
  expect(all.length).toBeGreaterThanOrEqual(documents.length)
  for (const { id, status, size_bytes: size } of all) {
    const content = await (await call(copy, `/api/v1/documents/${id}/content`)).arrayBuffer()
    expect([status, content.byteLength]).toEqual(['ready', size])
  }
})
