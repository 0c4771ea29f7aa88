import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { createPassageTableStore } from '../../src/index/passages/store.ts'
import { DIMENSIONS } from '../conformance/passage-index.ts'
import { errorCode } from '../support/codes.ts'
import { type Mount, mountTmpfs } from '../support/mount.ts'
import { scanned, stored } from '../support/passage-table.ts'

let folder: string
let mount: Mount | null
beforeEach(({ skip }) => {
  folder = mkdtempSync(join(tmpdir(), 'docsearch-disk-'))
  mount = mountTmpfs(folder, '16m')
  skip(mount === null, 'this machine does not allow mounting a small file system')
})
afterEach(() => {
  mount?.unmount()
  rmSync(folder, { recursive: true, force: true })
})

test('a full disk is reported as such, what was stored can be read, and failed commits leave nothing behind', async () => {
  const store = createPassageTableStore({ folder: join(folder, 'lance'), log: silentLogger })
  const table = await store.open({ id: 'idx_1', layout: { dimensions: DIMENSIONS, denseDimensions: DIMENSIONS } })
  const many = (documentId: string) =>
    Array.from({ length: 500 }, (_, n) => stored(documentId, n, { text: `${n} ${documentId}`.repeat(100) }))
  const rows = await table.add(many('doc_1'))
  const data = join(folder, 'lance/passages_idx_1.0.lance/data')
  const before = await readdir(data)

  const { bavail, bsize } = await statfs(folder)
  writeFileSync(join(folder, 'ballast'), Buffer.alloc(bavail * bsize - 64 * 1024))
  const full = { code: errorCode('disk_full') }
  await expect(table.add(many('doc_2'))).rejects.toMatchObject(full)
  expect((await scanned(table)).size).toBe(500)
  expect((await table.read(rows)).size).toBe(500)

  rmSync(join(folder, 'ballast'))
  const more = await table.add(many('doc_3'))
  expect([...(await scanned(table)).keys()]).toEqual([...rows, ...more])
  await table.optimize()
  await table.close()
  const after = await readdir(data)
  // Two commits and the file that they were compacted into.
  expect(after.length).toBeLessThanOrEqual(before.length + 2)
})
