import { copyFileSync, globSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { DoctorReport } from '../../src/contract/doctor.ts'
import type { FindingCode } from '../../src/core/findings.ts'
import { type Damage, DAMAGES, findIn, runDoctor } from '../support/damage-files.ts'
import { folderWithDeletion } from '../support/folder-with-deletion.ts'
import type { Instance } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy } from '../support/promises.ts'
import { refusedStart } from '../support/refused.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

/** A stopped data folder with two documents, one of which was edited, so that every kind of file is there. Each test damages a copy. */
let template: Instance
let instance: Instance
const words = { 'one.txt': rareWord(), 'two.txt': rareWord() }

beforeAll(async () => {
  template = await folderWithDeletion(words, async (running) => {
    // The next daemon sends nothing to it, because no document changes.
    const hook = { url: 'https://hooks.example/docsearch' }
    expect((await running.call('POST', '/api/v1/projects/default/webhooks', hook)).status).toBe(201)
    expect(await running.daemon.stop()).toBe(0)
  })
})
afterAll(() => template?.remove())
afterEach(() => instance?.remove())

const doctor = (...args: string[]) => runDoctor(instance, ...args)
const find = (pattern: string) => findIn(instance.dataDir, pattern)

interface Row {
  kind: string
  pattern: string
  /** What the doctor finds for each damage that can be found. */
  finds: Partial<Record<Damage, FindingCode>>
  exit: 3 | 7
  /** Whether --fix and the next start bring everything back. */
  heals: boolean
}

const COPY = 'docsearch.db.before-0.0.1'

const ROWS: Row[] = [
  {
    kind: 'an original',
    pattern: 'blobs/*/*',
    finds: {
      emptied: 'original_damaged',
      'cut off': 'original_damaged',
      changed: 'original_damaged',
      deleted: 'original_missing',
    },
    exit: 3,
    heals: false,
  },
  {
    kind: 'a data file of LanceDB',
    pattern: 'lance/*/data/*.lance',
    finds: { emptied: 'index_damaged', 'cut off': 'index_damaged', deleted: 'index_damaged' },
    exit: 3,
    heals: true,
  },
  {
    kind: 'a manifest of LanceDB',
    pattern: 'lance/*/_versions/*.manifest',
    finds: { emptied: 'index_damaged', 'cut off': 'index_damaged' },
    exit: 3,
    heals: true,
  },
  ...['*.seg', '*.vec', '*.del'].map((name): Row => ({
    kind: `a ${name} of a segment`,
    pattern: `segments/*/*/${name}`,
    finds: { emptied: 'segment_damaged', 'cut off': 'segment_damaged', changed: 'segment_damaged', deleted: 'segment_damaged' },
    exit: 3,
    heals: true,
  })),
  {
    kind: 'the manifest of a segment',
    pattern: 'segments/*/*/manifest.json',
    // Without a manifest, the files could be left over from a crash. What they lack shows in the documents.
    finds: { emptied: 'segment_damaged', 'cut off': 'segment_damaged', changed: 'segment_damaged', deleted: 'passages_missing' },
    exit: 3,
    heals: true,
  },
  {
    kind: 'the database',
    pattern: 'docsearch.db',
    finds: {
      emptied: 'database_damaged',
      'cut off': 'database_damaged',
      deleted: 'database_missing',
    },
    exit: 7,
    heals: false,
  },
  {
    kind: 'the settings',
    pattern: 'config.json',
    finds: { emptied: 'config_invalid', 'cut off': 'config_invalid', changed: 'config_invalid' },
    exit: 3,
    heals: false,
  },
  {
    kind: 'the key of webhooks',
    pattern: 'webhook.key',
    finds: {
      emptied: 'webhook_key_damaged',
      'cut off': 'webhook_key_damaged',
      changed: 'webhook_key_damaged',
      deleted: 'webhook_key_damaged',
    },
    exit: 3,
    heals: false,
  },
  {
    kind: 'a copy of the database from before an upgrade',
    pattern: COPY,
    finds: { emptied: 'database_copy_damaged', 'cut off': 'database_copy_damaged' },
    exit: 3,
    heals: false,
  },
  {
    kind: 'a cached image',
    pattern: 'page-images/*.png',
    finds: { emptied: 'page_image_damaged', 'cut off': 'page_image_damaged', changed: 'page_image_damaged' },
    exit: 3,
    heals: true,
  },
]

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function copied(): Promise<void> {
  instance = await template.copy()
  writeFileSync(join(instance.dataDir, 'config.json'), JSON.stringify({ trash_days: 7 }), { mode: 0o600 })
  copyFileSync(join(instance.dataDir, 'docsearch.db'), join(instance.dataDir, COPY))
  mkdirSync(join(instance.dataDir, 'page-images'), { recursive: true, mode: 0o700 })
  writeFileSync(join(instance.dataDir, 'page-images', `${'a'.repeat(64)}-1-400.png`), PNG, { mode: 0o600 })
}

test('finds nothing in an undamaged folder, and changes nothing', async () => {
  await copied()
  const { code, report, output } = await doctor()
  expect(report.findings, output).toEqual([])
  expect(code).toBe(0)
})

describe.each(ROWS)('$kind', ({ pattern, finds, exit, heals }) => {
  test.each(Object.keys(finds) as Damage[])('%s is found and named', async (damage) => {
    await copied()
    const file = find(pattern)
    DAMAGES[damage](file)
    const { code, report, output } = await doctor()
    expect(
      report.findings.map((finding) => finding.code),
      output,
    ).toContain(finds[damage])
    const named = report.findings.find((finding) => finding.code === finds[damage])!
    expect(named.message, output).not.toBe('')
    if (named.place === null) expect(named.documents).not.toEqual([])
    else expect(relative(instance.dataDir, file).startsWith(named.place), `${named.place} for ${file}`).toBe(true)
    expect(code).toBe(exit)
    // One damage of each kind is enough to try the repair.
    if (!heals || damage !== Object.keys(finds).at(-1)) return
    const fixed = await doctor('--fix')
    expect(
      fixed.report.findings.every((finding) => finding.fixed !== null),
      fixed.output,
    ).toBe(true)
    expect(fixed.code).toBe(0)
    const running = await instance.start()
    await running.settled()
    await expectSearchableOnce(running, words)
    await expectTidy(running, instance.dataDir)
    await running.daemon.stop()
    expect((await doctor()).report.findings).toEqual([])
  })
})

test('finds a changed character in the stored text of a document, and reads the document again', async () => {
  await copied()
  const file = join(instance.dataDir, 'docsearch.db')
  const bytes = readFileSync(file)
  const at = bytes.indexOf(`The password of the gate is ${words['two.txt']}`)
  expect(at).toBeGreaterThan(0)
  bytes[at + 8]! ^= 1
  writeFileSync(file, bytes)
  const { code, report, output } = await doctor()
  expect(report.findings, output).toMatchObject([{ code: 'text_damaged', documents: [{ path: 'two.txt' }] }])
  expect(code).toBe(3)
  expect((await doctor('--fix')).code).toBe(0)
  const running = await instance.start()
  await expectSearchableOnce(running, words)
  await expectTidy(running, instance.dataDir)
  await running.daemon.stop()
  expect((await doctor()).report.findings).toEqual([])
})

test('finds files that a killed daemon left, and deletes them', async () => {
  await copied()
  const left = ['tmp/x', 'incoming/x', 'ocr/run-x/input.pdf', 'webhook.key.new', 'daemon.log.new', `${COPY}.unfinished`]
  for (const name of left) {
    mkdirSync(dirname(join(instance.dataDir, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(instance.dataDir, name), '', { mode: 0o600 })
  }
  expect((await doctor()).report.findings).toMatchObject([{ code: 'leftover_files' }])
  expect((await doctor('--fix')).code).toBe(0)
  expect(left.flatMap((name) => globSync(join(instance.dataDir, name)))).toEqual([])
  expect((await doctor()).report.findings).toEqual([])
})

test('restores a damaged original from an upload of the same file', async () => {
  await copied()
  const [name, word] = Object.entries(words)[0]!
  for (const file of globSync(join(instance.dataDir, 'blobs/*/*')))
    if (readFileSync(file, 'utf8').includes(word)) DAMAGES.changed(file)
  const fixed = await doctor('--fix')
  // Only the user has the bytes, so something is left to do.
  expect(fixed.code).toBe(3)
  expect(fixed.report.findings).toMatchObject([{ code: 'original_damaged', repaired: false, documents: [{ path: name }] }])
  const running = await instance.start()
  const warned = (await running.documents()).filter(({ warnings }) => warnings.length > 0)
  expect(warned.map((document) => [document.name, document.status])).toEqual([[name, 'ready']])
  expect((await running.health()).checks?.originals).toMatchObject({ status: 'degraded', damaged: 1 })
  await expectSearchableOnce(running, words)
  const { sha256, size_bytes: size } = warned[0]!
  const plan = await running.call('POST', '/api/v1/upload/plan', {
    project: 'default',
    files: [{ path: name, sha256, size_bytes: size }],
  })
  expect(plan.body).toMatchObject({ files: [{ state: 'unchanged', is_needed: true }] })
  await running.upload([{ name, content: textWith(word) }], { wait: true })
  expect((await running.documents()).filter(({ warnings }) => warnings.length > 0)).toEqual([])
  expect((await running.health()).checks?.originals).toMatchObject({ status: 'ok', damaged: 0 })
  await running.daemon.stop()
  expect((await doctor()).code).toBe(0)
})

test('counts and words that differ from the documents are found and counted again', async () => {
  await copied()
  const database = new DatabaseSync(join(instance.dataDir, 'docsearch.db'))
  database.exec(`update document_counts set documents = documents + 5;
    delete from folder_counts;
    update usage set bytes = 1;
    insert into queue_turns (owner_id, turn, waiting) select id, 0, 7 from users where true on conflict (owner_id) do update set waiting = 7;
    update vocabulary_words set documents = 9`)
  database.close()
  const { code, report } = await doctor()
  expect(code).toBe(3)
  expect(report.findings.map((finding) => finding.place ?? finding.code).toSorted()).toEqual([
    'document_counts',
    'folder_counts',
    'queue_turns',
    'usage',
    'vocabulary_wrong',
  ])
  expect((await doctor('--fix')).code).toBe(0)
  expect(await doctor()).toMatchObject({ code: 0, report: { findings: [] } })
})

test('serve refuses a folder that has originals but an empty database, and leaves the originals', async () => {
  await copied()
  truncateSync(join(instance.dataDir, 'docsearch.db'), 0)
  const originals = globSync(join(instance.dataDir, 'blobs/*/*'))
  const { code, stderr } = await refusedStart(instance.env)
  expect(code).not.toBe(0)
  expect(stderr).toContain('is empty, but the folder "blobs" has files')
  expect(globSync(join(instance.dataDir, 'blobs/*/*'))).toEqual(originals)
})

test('over the API, the daemon repairs its index while it serves', async () => {
  await copied()
  const running = await instance.start()
  const ask = async (fix: boolean) => {
    const response = await fetch(`${running.daemon.url}/api/v1/doctor`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${running.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ fix }),
    })
    const lines = (await response.text()).trim().split('\n')
    return (JSON.parse(lines.at(-1)!) as { report: DoctorReport }).report
  }
  const codes = ({ findings }: DoctorReport) => findings.map(({ code }) => code)
  // After the start, merges replace segments, also damaged ones, before or after the doctor finds them.
  await until('damage that is found and repaired', async () => {
    for (const file of globSync(join(instance.dataDir, 'segments/*/*/*.seg'))) truncateSync(file, 100)
    if (!codes(await ask(false)).includes('segment_damaged')) return false
    const { status, findings } = await ask(true)
    return status === 'ok' && findings.some(({ code, repaired }) => code === 'segment_damaged' && repaired)
  })
  await until('the segment is rebuilt', async () => codes(await ask(false)).length === 0)
  await expectSearchableOnce(running, words)
})

function changeRecords(sql: string): void {
  const database = new DatabaseSync(join(instance.dataDir, 'docsearch.db'))
  database.exec(sql)
  database.close()
}

test('finds passages of a failed document, and --fix deletes them', async () => {
  await copied()
  changeRecords(`update documents set status = 'failed' where name = 'two.txt'`)
  const codes = ({ report }: Awaited<ReturnType<typeof doctor>>) => report.findings.map(({ code }) => code)
  expect(codes(await doctor())).toContain('passages_left')
  expect((await doctor('--fix')).code).toBe(0)
  expect(codes(await doctor())).not.toContain('passages_left')
})

test('with a single webhook, says that the key or the secret is damaged', async () => {
  await copied()
  // Changes the last bits of every secret.
  changeRecords(`update webhooks set secrets = replace(secrets, '","expires_at"', 'AAAA","expires_at"')`)
  expect((await doctor()).report.findings).toMatchObject([
    { code: 'webhook_key_damaged', message: expect.stringContaining('The key or the secret is damaged or was replaced') },
  ])
})
