import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { checkBackup } from '../../../src/backup/check.ts'
import { FolderTarget } from '../../../src/backup/folder-target.ts'
import { originalPath } from '../../../src/backup/layout.ts'
import { errorCode } from '../../support/codes.ts'
import { makeBackup, sha256 } from '../../support/make-backup.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const at = (second: number) => new Date(Date.UTC(2026, 10, 24, 20, 30, second)).toISOString()
const check = (target: string, snapshot?: string) => checkBackup({ target, stdin: () => Readable.from([]), snapshot })

/** Adds a backup, of which the folder gets only what it lacks. */
async function add(folder: string, second: number, originals: readonly string[], keep = 7) {
  const target = await FolderTarget.open(folder)
  const known = originals.filter((text) => target.known.has(sha256(text)))
  const tar = await makeBackup({ originals, known, createdAt: at(second), database: `database ${second}` })
  return target.add(Readable.from([tar]), { keep })
}

async function originalsIn(folder: string): Promise<number> {
  const entries = await readdir(join(folder, 'blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}

test('a further backup adds only new originals, and each backup can be restored', async () => {
  const folder = join(await tempFolder(), 'backups')
  expect(await add(folder, 1, ['one', 'two'])).toMatchObject({ newOriginals: 2 })
  expect(await add(folder, 2, ['two', 'three'])).toMatchObject({ newOriginals: 1, newBytes: 5 })
  expect(await originalsIn(folder)).toBe(3)
  const [first, second] = (await readdir(join(folder, 'snapshots'))).toSorted()
  for (const snapshot of [undefined, first, second])
    expect(await check(folder, snapshot)).toMatchObject({ faults: [], manifest: { created_at: at(snapshot === first ? 1 : 2) } })
})

test('deletes the oldest backups, with the originals that only they had', async () => {
  const folder = await tempFolder()
  for (const second of [1, 2, 3, 4]) await add(folder, second, ['always', `only ${second}`], 2)
  expect(await readdir(join(folder, 'snapshots'))).toHaveLength(2)
  expect(await originalsIn(folder)).toBe(3)
  expect(await check(folder)).toMatchObject({ faults: [] })
})

test('an interrupted backup leaves the earlier one valid, and the first one is known to be incomplete', async () => {
  const folder = await tempFolder()
  const tar = await makeBackup({ originals: ['one', 'two'], createdAt: at(1) })
  const interrupted = async () => (await FolderTarget.open(folder)).add(Readable.from([tar.subarray(0, 3000)]), { keep: 1 })
  // As after a crash: the files of an unfinished backup are still there.
  const crash = async () => {
    await mkdir(join(folder, 'snapshots', 'unfinished'), { recursive: true })
    await writeFile(join(folder, 'snapshots', 'unfinished', 'docsearch.db'), 'half')
  }
  await crash()
  await expect(check(folder)).rejects.toMatchObject({ code: errorCode('backup_incomplete') })
  await add(folder, 2, ['one'])
  await expect(interrupted()).rejects.toMatchObject({ code: errorCode('backup_incomplete') })
  await crash()
  expect(await check(folder)).toMatchObject({ faults: [], manifest: { created_at: at(2) } })
  await add(folder, 3, ['one'])
  expect(await readdir(join(folder, 'snapshots'))).toHaveLength(2)
  await rm(join(folder, 'manifest.json'))
  await expect(check(folder)).rejects.toMatchObject({ code: errorCode('backup_incomplete') })
})

test('damage is found and named, and the next backup repairs a deleted original', async () => {
  const folder = await tempFolder()
  const { snapshot } = await add(folder, 1, ['one', 'two'])
  const original = join(folder, originalPath(sha256('one')))
  await writeFile(original, 'onf')
  const path = originalPath(sha256('one'))
  expect(await check(folder)).toMatchObject({ faults: [{ path, fault: 'damaged' }], isRestorable: true })
  await rm(original)
  expect(await check(folder)).toMatchObject({ faults: [{ path, fault: 'missing' }], isRestorable: true })
  await add(folder, 2, ['one', 'two'])
  expect(await readFile(original, 'utf8')).toBe('one')
  expect(await check(folder)).toMatchObject({ faults: [] })
  await writeFile(join(folder, 'snapshots', snapshot, 'docsearch.db'), 'database 2')
  expect(await check(folder, snapshot)).toMatchObject({ faults: [{ path: 'docsearch.db' }], isRestorable: false })
})

test('a link in a folder is refused', async () => {
  const folder = await tempFolder()
  await add(folder, 1, ['one'])
  const original = join(folder, originalPath(sha256('one')))
  await rm(original)
  await symlink('/etc/passwd', original)
  await expect(check(folder)).rejects.toMatchObject({ code: errorCode('backup_damaged') })
})

test('a folder with other files is refused as a target', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'thesis.doc'), '')
  await expect(FolderTarget.open(folder)).rejects.toMatchObject({ code: errorCode('backup_target') })
})

test.each(['', '.', '..', '../..', 'unfinished', '20261124T203009000Z'])('there is no backup named %j', async (name) => {
  const folder = await tempFolder()
  await add(folder, 1, ['one'])
  await mkdir(join(folder, 'snapshots', 'unfinished'))
  await expect(check(folder, name)).rejects.toMatchObject({ code: errorCode('backup_target') })
})
