import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { DoctorReport } from '../../src/contract/doctor.ts'
import type { FindingCode } from '../../src/core/findings.ts'
import { BIN } from '../support/daemon.ts'
import { type Instance, newInstance } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy } from '../support/promises.ts'
import { rareWord, textWith } from '../support/words.ts'

/** A stopped data folder with two documents, one of which was edited, so that every kind of file is there. Each test damages a copy. */
let template: Instance
let instance: Instance
const words = { 'one.txt': rareWord(), 'two.txt': rareWord() }

beforeAll(async () => {
  template = await newInstance()
  const running = await template.start()
  await running.upload([{ name: 'gone.txt', content: textWith(rareWord()) }], { wait: true })
  for (const [name, word] of Object.entries(words)) await running.upload([{ name, content: textWith(word) }], { wait: true })
  const gone = (await running.documents()).find(({ name }) => name === 'gone.txt')!
  // Writes a deletion into the index.
  await running.call('DELETE', `/api/v1/documents/${gone.id}?permanent=true`)
  expect(await running.daemon.stop()).toBe(0)
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
  ...['*.seg', '*.vec', '*.del', 'manifest.json'].map((name): Row => ({
    kind: `a ${name} of a segment`,
    pattern: `segments/*/*/${name}`,
    finds: { emptied: 'segment_damaged', 'cut off': 'segment_damaged', changed: 'segment_damaged', deleted: 'segment_damaged' },
    exit: 3,
    heals: true,
  })),
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
    expect(relative(instance.dataDir, file).startsWith(named.place!), `${named.place} for ${file}`).toBe(true)
    expect(code).toBe(exit)
    if (exit === 7) return
    await doctor('--fix')
    if (!heals) return
    const running = await instance.start()
    await running.settled()
    await expectSearchableOnce(running, words)
    await expectTidy(running, instance.dataDir)
    await running.daemon.stop()
    expect((await doctor()).report.findings).toEqual([])
  })
})
