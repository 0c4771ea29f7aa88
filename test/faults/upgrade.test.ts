import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MIGRATIONS } from '../../src/records/sql/migrations.ts'
import { type Instance, newInstance } from '../support/instance.ts'
import { mountTmpfs } from '../support/mount.ts'
import { makeNextVersion, type NextVersion } from '../support/next-version.ts'
import { unpackDataFolder } from '../support/old-data-folder.ts'
import { refusedStart } from '../support/refused.ts'
import { rest } from '../support/rest.ts'

const { version: VERSION } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
const FACTS = new URL('../fixtures/version-0.1.0/facts.json', import.meta.url)
const facts = JSON.parse(readFileSync(FACTS, 'utf8')) as { ownerKey: string; documents: { id: string }[] }
const RELEASED = Object.keys(MIGRATIONS)
const COPY = 'docsearch.db.before-9.0.0'

let next: NextVersion
let instance: Instance
beforeAll(async () => {
  next = await makeNextVersion()
})
afterAll(() => next[Symbol.asyncDispose]())
beforeEach(async () => {
  instance = await newInstance()
  await unpackDataFolder('version-0.1.0', instance.dataDir)
  // This version upgrades the folder first.
  await (await instance.start()).daemon.stop()
  for (const name of copies()) rmSync(join(instance.dataDir, name))
})
afterEach(() => instance.remove())

function query<T>(name: string, sql: string): T[] {
  const database = new DatabaseSync(join(instance.dataDir, name), { readOnly: true })
  try {
    return database.prepare(sql).all() as T[]
  } finally {
    database.close()
  }
}

const migrationsOf = (name: string) =>
  query<{ name: string }>(name, 'select name from kysely_migration order by name').map((row) => row.name)
const copies = () => readdirSync(instance.dataDir).filter((name) => name.startsWith('docsearch.db.before-'))

test('copies the database of the earlier version, upgrades it, and says so', async () => {
  const { daemon } = await instance.start({ bin: next.bin })
  expect(daemon.stderr()).toContain(`upgrading the data folder from docsearch ${VERSION} to 9.0.0`)
  expect(daemon.stderr()).toContain(join(instance.dataDir, COPY))
  expect(statSync(join(instance.dataDir, COPY)).mode & 0o777).toBe(0o600)
  expect(migrationsOf(COPY)).toEqual(RELEASED)
  expect(migrationsOf('docsearch.db')).toEqual([...RELEASED, '9000_notes'])
  expect(query(COPY, 'select count(*) as n from documents')).toEqual(query('docsearch.db', 'select count(*) as n from documents'))
  await daemon.stop()

  const again = await instance.start({ bin: next.bin })
  expect(again.daemon.stderr()).not.toContain('upgrad')
})

describe('killed in the middle of the upgrade', () => {
  test.each(['upgrade-copy', 'upgrade-step', 'upgraded'] as const)('at %s', async (killAt) => {
    expect(await instance.tryStart({ killAt, bin: next.bin })).toBeNull()
    if (killAt !== 'upgraded') expect(migrationsOf('docsearch.db')).toEqual(RELEASED)
    const { url } = await instance.start({ bin: next.bin })
    const { documents } = (await rest(url, facts.ownerKey).call<{ documents: { id: string }[] }>('GET', '/api/v1/documents')).body
    const expected = facts.documents.map(({ id }) => id)
    expect(documents.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
    expect(copies()).toEqual([COPY])
    expect(migrationsOf(COPY)).toEqual(RELEASED)
  })
})

test('refuses without room for the copy, says how much it needs, and changes nothing', async ({ skip }) => {
  await instance.remove()
  mkdirSync(instance.dataDir, { recursive: true })
  const mount = mountTmpfs(instance.dataDir, '16m')
  skip(mount === null, 'only root can mount a file system')
  await unpackDataFolder('version-0.1.0', instance.dataDir)
  const { bavail, bsize } = statfsSync(instance.dataDir)
  writeFileSync(join(instance.dataDir, 'other'), Buffer.alloc(bavail * bsize - 200_000))
  try {
    const { code, stderr } = await refusedStart(instance.env, ['--port', '0'], next.bin)
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/needs \d+ MB of free space/) })
    expect(stderr).toContain('Nothing was changed')
    expect(copies()).toEqual([])
    expect(migrationsOf('docsearch.db')).toEqual(['0100_initial'])
  } finally {
    mount!.unmount()
  }
})

test('keeps the copies of the last three upgrades', async () => {
  for (const [i, version] of ['0.0.1', '0.0.2', '0.0.3'].entries()) {
    const file = join(instance.dataDir, `docsearch.db.before-${version}`)
    writeFileSync(file, '')
    utimesSync(file, i + 1, i + 1)
  }
  const { daemon } = await instance.start({ bin: next.bin })
  expect(copies().toSorted()).toEqual(['docsearch.db.before-0.0.2', 'docsearch.db.before-0.0.3', COPY].toSorted())
  expect(daemon.stderr()).toContain('docsearch.db.before-0.0.1')
})

test('a command on the data folder upgrades it too, but not next to a daemon of an earlier version', async () => {
  const list = () =>
    promisify(execFile)(process.execPath, [next.bin, 'users', 'list', '--data', instance.dataDir], { env: instance.env })
  const lock = new DatabaseSync(join(instance.dataDir, 'daemon.lock'))
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  await expect(list()).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('Restart the daemon with this version') })
  expect(migrationsOf('docsearch.db')).toEqual(RELEASED)
  lock.close()

  expect((await list()).stdout).toContain('Olga')
  expect(copies()).toEqual([COPY])
})

test('refuses a folder from before the first release, and says where to read on', async () => {
  await instance.remove()
  await unpackDataFolder('version-0.1.0', instance.dataDir)
  const file = join(instance.dataDir, 'docsearch.db')
  const database = new DatabaseSync(file)
  database.exec('delete from kysely_migration where name = (select max(name) from kysely_migration)')
  database.close()
  const before = readFileSync(file)
  const { code, stderr } = await refusedStart(instance.env)
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('docs/upgrades.md says which version can') })
  expect(readFileSync(file)).toEqual(before)
})

test('refuses a folder of a newer version, and names both versions', async () => {
  const database = new DatabaseSync(join(instance.dataDir, 'docsearch.db'))
  database.exec(`
    insert into kysely_migration values ('9999_future', '2030-01-01');
    update settings set value = '9.8.7' where name = 'version';`)
  database.close()
  const { code, stderr } = await refusedStart(instance.env)
  expect(code).toBe(2)
  expect(stderr).toContain('docsearch 9.8.7, a newer version, has written to this data folder')
  expect(stderr).toContain(`This is docsearch ${VERSION}`)
})
