import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { DoctorReport } from '../../src/contract/doctor.ts'
import type { FindingCode } from '../../src/core/findings.ts'
import { BIN } from '../support/daemon.ts'
import { type Instance, newInstance } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy } from '../support/promises.ts'
import { refusedStart } from '../support/refused.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

/** A stopped data folder with two documents, one of which was edited, so that every kind of file is there. Each test damages a copy. */
let template: Instance
let instance: Instance
const words = { 'one.txt': rareWord(), 'two.txt': rareWord() }

beforeAll(async () => {
  template = await newInstance()
  const running = await template.start()
  // In one request, so that one segment has all of them.
  const files = Object.entries({ ...words, 'gone.txt': rareWord() }).map(([name, word]) => ({ name, content: textWith(word) }))
  await running.upload(files, { wait: true })
  const gone = (await running.documents()).find(({ name }) => name === 'gone.txt')!
  // Writes a deletion into the index.
  await running.call('DELETE', `/api/v1/documents/${gone.id}?permanent=true`)
  expect(await running.daemon.stop()).toBe(0)
  // A sweep deletes it later, and no damage to it counts.
  rmSync(join(template.dataDir, 'blobs', gone.sha256.slice(0, 2), gone.sha256.slice(2)))
})
afterAll(() => template?.remove())
afterEach(() => instance?.remove())

type Damage = 'emptied' | 'cut off' | 'changed' | 'deleted'

const DAMAGES: Record<Damage, (file: string) => void> = {
  emptied: (file) => truncateSync(file, 0),
  'cut off': (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  changed(file) {
    const bytes = readFileSync(file)
    const at = Math.floor(bytes.length / 2)
    bytes[at]! ^= 0x10
    writeFileSync(file, bytes)
  },
  deleted: (file) => rmSync(file),
}

function doctor(...args: string[]): Promise<{ code: number | null; report: DoctorReport; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [BIN, 'doctor', '--data', instance.dataDir, '--json', ...args],
      { env: instance.env },
      (_error, stdout, stderr) => {
        const report = stdout.startsWith('{')
          ? (JSON.parse(stdout) as DoctorReport)
          : { status: 'ok' as const, checks: [], findings: [] }
        resolve({ code: child.exitCode, report, output: stdout + stderr })
      },
    )
  })
}

/** The first file that matches, relative to the data folder. */
function find(pattern: string): string {
  const [file] = globSync(join(instance.dataDir, pattern)).toSorted()
  expect(file, `nothing matches ${pattern}`).toBeDefined()
  return file!
}

interface Row {
  kind: string
  pattern: string
  /** What the doctor finds for each damage that can be found. */
  finds: Partial<Record<Damage, FindingCode>>
  exit: 3 | 7
  /** Whether --fix and the next start bring everything back. */
  heals: boolean
}

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
    finds: { emptied: 'config_invalid', 'cut off': 'config_invalid' },
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
    if (exit === 7) return
    const fixed = await doctor('--fix')
    // One damage of each kind is enough to try the repair.
    if (!heals || damage !== Object.keys(finds).at(-1)) return
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

test('finds damage in the middle of the write-ahead log, and none in a log that a killed daemon has left', async () => {
  await copied()
  const running = await instance.start()
  for (let i = 0; i < 3; i++) await running.upload([{ name: `more-${i}.txt`, content: textWith(rareWord()) }], { wait: true })
  await running.daemon.kill()
  const log = join(instance.dataDir, 'docsearch.db-wal')
  expect(statSync(log).size).toBeGreaterThan(50_000)
  expect((await doctor()).report.findings.map(({ code }) => code)).not.toContain('log_damaged')
  const before = readFileSync(log)
  const bytes = Buffer.from(before)
  bytes[Math.floor(bytes.length / 2)]! ^= 1
  writeFileSync(log, bytes)
  const { report, output } = await doctor()
  expect(
    report.findings.map(({ code }) => code),
    output,
  ).toContain('log_damaged')
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
  // Merges after the start replace segments, also damaged ones.
  await until('the damage is found', async () => {
    for (const file of globSync(join(instance.dataDir, 'segments/*/*/*.seg'))) truncateSync(file, 100)
    return codes(await ask(false)).includes('segment_damaged')
  })
  expect(await ask(true)).toMatchObject({ status: 'ok', findings: [{ code: 'segment_damaged', repaired: true }] })
  await until('the segment is rebuilt', async () => codes(await ask(false)).length === 0)
  await expectSearchableOnce(running, words)
})
