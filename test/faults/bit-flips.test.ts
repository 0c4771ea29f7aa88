import { execFile } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect } from '@lancedb/lancedb'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { DoctorReport } from '../../src/contract/doctor.ts'
import { VECTOR } from '../../src/index/passages/columns.ts'
import { BIN } from '../support/daemon.ts'
import { startFakeOllama } from '../support/fake-ollama.ts'
import { type Instance, newInstance } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy } from '../support/promises.ts'
import type { Rest } from '../support/rest.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

/** A stopped data folder whose index has several files. Each test damages a copy. */
let template: Instance
let instance: Instance
let before: unknown
const words: Record<string, string> = {}
/** Makes the vector of each document unique. */
const SUBJECTS = [
  'Music by the village orchestra.',
  'The tax on imported cars.',
  'Bread from wheat and rye.',
  'A storm over the northern sea.',
]

beforeAll(async () => {
  template = await newInstance()
  const running = await template.start()
  for (let i = 0; i < 4; i++) {
    words[`doc-${i}.txt`] = rareWord()
    const files = [
      { name: `doc-${i}.txt`, content: `${SUBJECTS[i]} ${textWith(words[`doc-${i}.txt`]!)}` },
      { name: `gone-${i}.txt`, content: textWith(rareWord()) },
    ]
    await running.upload(files, { wait: true })
  }
  for (const { id, name } of await running.documents())
    if (name.startsWith('gone')) await running.call('DELETE', `/api/v1/documents/${id}?permanent=true`)
  // Scores depend on the statistics of words, which count deleted documents until the index has followed.
  await until('the index to follow the deletions', async () => {
    const { facets } = await running.search('archive note', { facets: ['media_type'] })
    return facets?.media_type?.reduce((sum, { count }) => sum + count, 0) === SUBJECTS.length
  })
  before = await results(running)
  expect(await running.daemon.stop()).toBe(0)
})
afterAll(() => template?.remove())
afterEach(() => instance?.remove())

/** Returns the results of the same queries, without the fields that may differ between two equal indexes. */
async function results(rest: Rest): Promise<unknown> {
  const found: unknown[] = []
  for (const query of ['the password of the gate', 'archive note', ...Object.values(words)])
    for (const mode of ['hybrid', 'vector', 'keyword'] as const)
      found.push(
        (await rest.search(query, { mode, limit: 100 })).results
          .map(({ score, document, text }) => ({ score: score.toFixed(3), name: document.name, text }))
          .toSorted((a, b) => b.score.localeCompare(a.score) || a.name.localeCompare(b.name)),
      )
  return found
}

function doctor(...args: string[]): Promise<{ code: number | null; report: DoctorReport }> {
  return new Promise((resolve, reject) => {
    const command = [BIN, 'doctor', '--data', instance.dataDir, '--json', ...args]
    const child = execFile(process.execPath, command, { env: instance.env }, (_error, stdout, stderr) => {
      if (!stdout.startsWith('{')) return reject(new Error(stdout + stderr))
      resolve({ code: child.exitCode, report: JSON.parse(stdout) as DoctorReport })
    })
  })
}

/** Flips one bit in each file that has these bytes. Returns the files, relative to the data folder. */
function flipIn(pattern: string, bytes: Buffer): string[] {
  return globSync(join(instance.dataDir, pattern)).flatMap((file) => {
    const content = readFileSync(file)
    const at = content.indexOf(bytes)
    if (at < 0) return []
    content[at + 1]! ^= 0x04
    writeFileSync(file, content)
    return [relative(instance.dataDir, file)]
  })
}

/** Flips a bit in the first file, which for manifests is the newest one. By default, the bit is in the middle. */
function flipFirst(pattern: string, fromEnd?: number): string[] {
  const [file] = globSync(join(instance.dataDir, pattern)).toSorted()
  const content = readFileSync(file!)
  content[fromEnd === undefined ? Math.floor(content.length / 2) : content.length - fromEnd]! ^= 0x04
  writeFileSync(file!, content)
  return [relative(instance.dataDir, file!)]
}

/** Returns the bytes of the vector of a passage with this word. */
async function vectorOf(word: string): Promise<Buffer> {
  const connection = await connect(join(instance.dataDir, 'lance'))
  const table = await connection.openTable((await connection.tableNames())[0]!)
  const [row] = await table.query().select([VECTOR]).where(`text LIKE '%${word}%'`).toArray()
  const values = Float16Array.from(row[VECTOR] as Iterable<number>)
  table.close()
  connection.close()
  return Buffer.from(values.buffer)
}

const FLIPS: Record<string, () => Promise<string[]>> = {
  'a vector': async () => flipIn('lance/*/data/*.lance', (await vectorOf(words['doc-1.txt']!)).subarray(0, 16)),
  'a text': async () => flipIn('lance/*/data/*.lance', Buffer.from(words['doc-1.txt']!)),
  'the name of a document': async () => flipIn('lance/*/data/*.lance', Buffer.from('doc-1.txt')),
  'a list of deleted rows': async () => flipFirst('lance/*/_deletions/*'),
  'the manifest': async () => flipFirst('lance/*/_versions/*.manifest'),
  // The last 16 bytes begin with the position of the content, so that nothing can read this manifest any more.
  'the end of the manifest': async () => flipFirst('lance/*/_versions/*.manifest', 16 - 2),
}

test.each(Object.keys(FLIPS))(
  'a flipped bit in %s is found and named, and the repair brings back the same answers',
  async (kind) => {
    instance = await template.copy()
    const [file] = await FLIPS[kind]!()
    expect(file).toBeDefined()
    const { code, report } = await doctor()
    expect(code).toBe(3)
    const found = report.findings.find(({ place }) => place === file)
    expect(['passages_damaged', 'index_damaged'], JSON.stringify(report.findings)).toContain(found?.code)
    const fixed = await doctor('--fix')
    expect(fixed.report.findings.filter(({ repaired }) => !repaired)).toEqual([])
    expect(fixed.code).toBe(0)
    const running = await instance.start()
    await running.settled()
    await expectSearchableOnce(running, words)
    expect(await results(running)).toEqual(before)
    await expectTidy(running, instance.dataDir)
    await running.daemon.stop()
    expect((await doctor()).report.findings).toEqual([])
  },
)

test('the scrub of the daemon finds a changed vector and indexes its documents again, and searches still find them', async () => {
  instance = await template.copy()
  const [file] = await FLIPS['a vector']!()
  // As if the last round were long ago.
  const database = new DatabaseSync(join(instance.dataDir, 'docsearch.db'))
  database.exec("delete from settings where name = 'scrub_progress'")
  database.close()
  const running = await instance.start({ env: { DOCSEARCH_LOG_LEVEL: 'info' } })
  await until('the scrub has found the damage', async () => {
    expect(await running.search(words['doc-1.txt']!).then(({ results }) => results.map(({ document }) => document.name))).toEqual(
      ['doc-1.txt'],
    )
    return running.daemon.stderr().includes(file!)
  })
  await until('the scrub has ended', async () => running.daemon.stderr().includes('read all originals and the search index'))
  await running.settled()
  expect(await results(running)).toEqual(before)
  await running.daemon.stop()
  expect((await doctor()).report.findings).toEqual([])
})

test('over the API, the daemon repairs a changed file while it serves', async () => {
  instance = await template.copy()
  const running = await instance.start()
  const [file] = await FLIPS['a vector']!()
  const response = await fetch(`${running.daemon.url}/api/v1/doctor`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${running.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ fix: true }),
  })
  const { report } = JSON.parse((await response.text()).trim().split('\n').at(-1)!) as { report: DoctorReport }
  expect(report).toMatchObject({ status: 'ok', findings: [{ code: 'passages_damaged', place: file, repaired: true }] })
  await running.settled()
  expect(await results(running)).toEqual(before)
  await running.daemon.stop()
  expect((await doctor()).report.findings).toEqual([])
})

test('the repair of a damaged vector embeds the text with the model again, and does not copy the vector', async () => {
  const ollama = await startFakeOllama()
  onTestFinished(() => ollama.close())
  instance = await newInstance({ DOCSEARCH_EMBEDDER: 'ollama:embeddinggemma', DOCSEARCH_OLLAMA: ollama.url })
  const word = rareWord()
  const running = await instance.start()
  await running.upload([{ name: 'doc-1.txt', content: textWith(word) }], { wait: true })
  await running.daemon.stop()
  const vector = await vectorOf(word)
  expect(flipIn('lance/*/data/*.lance', vector.subarray(0, 16))).toHaveLength(1)
  expect(await vectorOf(word)).not.toEqual(vector)
  expect((await doctor('--fix')).code).toBe(0)
  const repaired = await instance.start()
  await repaired.settled()
  await repaired.daemon.stop()
  expect(await vectorOf(word)).toEqual(vector)
})

test('a damaged list of checksums is reported and written again', async () => {
  instance = await template.copy()
  const [file] = flipFirst('lance/*.checksums')
  const fixed = await doctor('--fix')
  expect(fixed.report.findings).toMatchObject([{ code: 'checksums_damaged', place: file, repaired: true }])
  const running = await instance.start()
  await running.daemon.stop()
  expect(await doctor()).toMatchObject({ code: 0, report: { findings: [] } })
  await FLIPS['a vector']!()
  expect((await doctor()).report.findings).toMatchObject([{ code: 'passages_damaged' }])
})
