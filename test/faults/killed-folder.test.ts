import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DAMAGES, findIn, runDoctor } from '../support/damage-files.ts'
import { folderWithDeletion } from '../support/folder-with-deletion.ts'
import type { Instance } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy } from '../support/promises.ts'
import { rareWord, textWith } from '../support/words.ts'

/** The folder of a daemon that was killed while its database had a write-ahead log. Each test damages a copy. */
let killed: Instance
let instance: Instance
const words = { 'one.txt': rareWord(), 'two.txt': rareWord() }

beforeAll(async () => {
  killed = await folderWithDeletion(words, (running) => running.daemon.kill())
})
afterAll(() => killed?.remove())
afterEach(() => instance?.remove())

const doctor = (...args: string[]) => runDoctor(instance, ...args)

/** Files whose damage the doctor finds or that has no effect: SQLite and docsearch write them again, or nothing reads the damaged part. */
const DERIVED = [
  'docsearch.db-shm',
  'daemon.json',
  'lance/*/_versions/latest_version_hint.json',
  'lance/*/_versions/*.manifest',
  'lance/*/_transactions/*.txn',
  'lance/*/_deletions/*',
]

const TRIED = ['emptied', 'cut off', 'changed'] as const
/** `npm run test:faults` tries every damage of each file; other runs try one. */
const areAllTried = process.env['DOCSEARCH_TEST_ALL_DAMAGES'] === 'true'

describe.each(DERIVED.map((pattern, i) => ({ pattern, damages: areAllTried ? TRIED : [TRIED[i % TRIED.length]!] })))(
  '$pattern',
  ({ pattern, damages }) => {
    test.each(damages)('%s is found and repaired, or has no effect', async (damage) => {
      instance = await killed.copy()
      findIn(instance.dataDir, pattern)
      for (const file of globSync(join(instance.dataDir, pattern))) DAMAGES[damage](file)
      const { report } = await doctor()
      for (const { code } of report.findings) expect(['index_damaged', 'leftover_files', 'passages_missing']).toContain(code)
      expect((await doctor('--fix')).code).toBe(0)
      const running = await instance.start()
      const more = { ...words, 'after.txt': rareWord() }
      await running.upload([{ name: 'after.txt', content: textWith(more['after.txt']) }], { wait: true })
      await expectSearchableOnce(running, more)
      await expectTidy(running, instance.dataDir)
      await running.daemon.stop()
      expect((await doctor()).report.findings).toEqual([])
    })
  },
)

describe('the write-ahead log of a killed daemon', () => {
  const log = () => join(instance.dataDir, 'docsearch.db-wal')

  test('is intact', async () => {
    instance = await killed.copy()
    expect(statSync(log()).size).toBeGreaterThan(50_000)
    expect((await doctor()).report.findings.map(({ code }) => code)).not.toContain('log_damaged')
  })

  test.each(['emptied', 'cut off', 'changed'] as const)('%s is found', async (damage) => {
    instance = await killed.copy()
    DAMAGES[damage](log())
    const { report, output } = await doctor()
    expect(
      report.findings.map(({ code }) => code),
      output,
    ).toContain('log_damaged')
  })
})
