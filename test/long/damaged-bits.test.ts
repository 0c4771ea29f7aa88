import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isDocsearchError } from '../../src/core/errors.ts'
import { openInspection } from '../../src/records/sql/inspection.ts'
import { reportFaults } from '../support/fault-report.ts'
import { generatedText } from '../support/generated-text.ts'
import { type Instance, newInstance } from '../support/instance.ts'
import { seeded } from '../support/seeded.ts'

const FLIPS = 400
const DOCUMENTS = 40

let instance: Instance
let intact: string

beforeAll(async () => {
  instance = await newInstance()
  const running = await instance.start()
  const text = generatedText()
  for (let i = 0; i < DOCUMENTS; i++) await running.upload([text.document(i * 7)])
  await running.settled(600_000)
  expect(await running.daemon.stop()).toBe(0)
  intact = join(instance.dataDir, 'docsearch.db')
})
afterAll(() => instance?.remove())

/** Returns whether the checks of the doctor find damage in a database. */
async function isFound(file: string): Promise<boolean> {
  try {
    const inspection = openInspection(file)
    try {
      return (
        inspection.damage(true).length > 0 ||
        (await inspection.version()) !== 'same' ||
        inspection.brokenReferences().length > 0 ||
        (await inspection.wrongCounts()).length > 0 ||
        (await inspection.withoutText()).length > 0 ||
        (await inspection.withDamagedText()).length > 0 ||
        (await inspection.wrongWords()) > 0
      )
    } finally {
      await inspection.close()
    }
  } catch (error) {
    if (isDocsearchError(error)) return true
    // The flipped bit has broken a JSON value. The doctor reports that the check has failed.
    if (error instanceof SyntaxError || /malformed JSON/i.test(String(error))) return true
    throw error
  }
}

/** Returns a hash of every table's rows. */
function contentOf(file: string): Map<string, string> {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = database.prepare(`select name from sqlite_schema where type = 'table' order by name`).all() as {
      name: string
    }[]
    return new Map(
      tables.map(({ name }) => {
        const hash = createHash('sha256')
        for (const row of database.prepare(`select * from "${name}"`).iterate()) hash.update(JSON.stringify(Object.values(row)))
        return [name, hash.digest('hex')]
      }),
    )
  } finally {
    database.close()
  }
}

test(`${FLIPS} flipped bits of a database: each is found or changes no text`, async () => {
  const random = seeded(23)
  const before = contentOf(intact)
  const bytes = readFileSync(intact)
  const file = join(instance.home, 'flipped.db')
  const figures = { found: 0, withoutEffect: 0, unnoticed: {} as Record<string, number> }
  copyFileSync(intact, file)
  expect(await isFound(file)).toBe(false)
  for (let i = 0; i < FLIPS; i++) {
    const at = Math.floor(random() * bytes.length)
    const bit = 1 << Math.floor(random() * 8)
    const flipped = Buffer.from(bytes)
    flipped[at]! ^= bit
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
    writeFileSync(file, flipped)
    if (await isFound(file)) {
      figures.found++
      continue
    }
    const after = contentOf(file)
    const changed = [...before].filter(([table, hash]) => after.get(table) !== hash).map(([table]) => table)
    if (changed.length === 0) figures.withoutEffect++
    for (const table of changed) figures.unnoticed[table] = (figures.unnoticed[table] ?? 0) + 1
  }
  console.log(JSON.stringify({ bytes: bytes.length, ...figures }))
  expect(Object.keys(figures.unnoticed)).not.toContain('pages')
  expect(figures.found).toBeGreaterThan(FLIPS / 4)
  reportFaults({ fault: 'a flipped bit of the database', tried: FLIPS, documents: DOCUMENTS })
})
