import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { rememberCredentials } from '../../src/auth/remembered-credentials.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { MAX_WAITING } from '../../src/records/webhooks.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { tempRecords } from '../support/temp-records.ts'
import { testClock, type TestClock } from '../support/test-clock.ts'
import { emptyRecordsTest } from './records/fixtures.ts'
import { accountsConformance, recordsConformance } from './records/suite.ts'
import { errorCode } from '../support/codes.ts'

const openIn = (folder: string, clock: TestClock = testClock()) =>
  openRecords({ file: join(folder, 'docsearch.db'), clock, log: silentLogger })

describe('records in SQLite', () => recordsConformance(tempRecords))

describe('records in SQLite with credentials in memory', () =>
  accountsConformance(emptyRecordsTest(async (clock) => rememberCredentials(await tempRecords(clock), clock))))

test('a webhook for which too many messages wait is turned off', async () => {
  const folder = await tempFolder()
  const records = await openIn(folder)
  onTestFinished(() => records.close())
  const { id: ownerId } = await records.users.create({ name: 'A', email: null, role: 'owner' })
  const { id: projectId } = await records.projects.create({ ownerId, name: 'P', description: '' })
  const fields = { url: 'https://example.com/', description: '', events: ['document.deleted'] as const }
  await records.webhooks.create({ id: 'whk_1', projectId, ...fields, sealedSecret: '', maxWebhooks: 1 })
  const addAndDelete = async (path: string) => {
    const bytes = { mediaType: 'text/plain', sizeBytes: 1, sha256: 'a'.repeat(64), tags: null }
    const file = { uploaderId: ownerId, projectId, name: path, path, ...bytes }
    const { document } = await records.documents.register(file, 'replace')
    await records.documents.delete(new Set([projectId]), document.id)
    return (await records.webhooks.get(projectId, 'whk_1'))!
  }
  const database = new DatabaseSync(join(folder, 'docsearch.db'))
  database.exec(`update webhooks set waiting = ${MAX_WAITING - 1}`)
  database.close()
  expect(await addAndDelete('last')).toMatchObject({ disabled: null, waiting: MAX_WAITING })
  expect(await addAndDelete('too many')).toMatchObject({ disabled: { reason: 'backlog' }, waiting: MAX_WAITING })
  expect((await records.webhooks.deliveries('whk_1', { limit: 10 })).items).toHaveLength(1)
})

/** Returns the folder of a closed database with some rows. */
async function filled(): Promise<string> {
  const folder = await tempFolder()
  const records = await openIn(folder)
  const { id: ownerId } = await records.users.create({ name: 'A', email: null, role: 'owner' })
  for (let i = 0; i < 200; i++) await records.projects.create({ ownerId, name: `project ${i}`, description: 'd'.repeat(500) })
  await records.close()
  return folder
}

test('the audit log stays empty when it is off', async () => {
  const records = await openRecords({
    file: join(await tempFolder(), 'docsearch.db'),
    clock: testClock(),
    log: silentLogger,
    isAudited: false,
  })
  onTestFinished(() => records.close())
  const { id: userId } = await records.users.create({ name: 'A', email: null, role: 'owner' })
  await records.audit.record({ action: 'user.login_failed', userId })
  const sight = { userId, projects: new Set<string>(), limit: null, accounts: 'all' } as const
  expect(await records.audit.list(sight, {})).toEqual({ events: [], nextId: null })
})

test('an event ID is not used again after a restore from a backup', async () => {
  const [clock, folder] = [testClock(), await tempFolder()]
  const records = await openIn(folder, clock)
  const { id: ownerId } = await records.users.create({ name: 'A', email: null, role: 'owner' })
  const { id: projectId } = await records.projects.create({ ownerId, name: 'P', description: '' })
  const bytes = { mediaType: 'text/plain', sizeBytes: 1, sha256: 'a'.repeat(64), tags: null }
  const file = { uploaderId: ownerId, projectId, name: 'a.txt', path: 'a.txt', ...bytes }
  const { document } = await records.documents.register(file, 'replace')
  await records.close()
  const backup = await tempFolder()
  await copyFile(join(folder, 'docsearch.db'), join(backup, 'docsearch.db'))
  const projects = new Set([projectId])
  const deleteIn = async (opened: string) => {
    const again = await openIn(opened, clock)
    onTestFinished(() => again.close())
    await again.documents.delete(projects, document.id)
    return { again, id: await again.events.latestId(projects) }
  }
  const lost = await deleteIn(folder)
  clock.advance(60_000)
  const restored = await deleteIn(backup)
  expect(restored.id).toBeGreaterThan(lost.id)
  // A listener that knows the lost event learns that it missed something.
  expect(await restored.again.events.resumeAfter(projects, lost.id)).toMatchObject({ hasMissed: true })
})

describe('the database file', () => {
  test('is private and keeps what was written', async () => {
    const folder = await filled()
    expect((await stat(join(folder, 'docsearch.db'))).mode & 0o777).toBe(0o600)
    const records = await openIn(folder)
    expect((await records.users.owner())?.name).toBe('A')
    await records.close()
  })

  test('is refused when a newer version wrote it', async () => {
    const folder = await filled()
    const database = new DatabaseSync(join(folder, 'docsearch.db'))
    database.exec("insert into kysely_migration values ('9999_future', '2030-01-01')")
    database.close()
    await expect(openIn(folder)).rejects.toMatchObject({ code: errorCode('data_newer') })
  })

  test('is refused with a corrupt page, and the message says how to recover', async () => {
    const folder = await filled()
    const file = join(folder, 'docsearch.db')
    const bytes = await readFile(file)
    const pageSize = bytes.readUInt16BE(16)
    bytes.fill(0xff, bytes.length - 3 * pageSize, bytes.length - pageSize)
    await writeFile(file, bytes)
    await expect(openIn(folder)).rejects.toMatchObject({
      code: errorCode('database_corrupt'),
      message: expect.stringContaining('copy of the whole data folder'),
    })
    expect(await readFile(file)).toEqual(bytes)
  })

  test('is refused when it is no database', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'docsearch.db'), 'no database\n'.repeat(1000))
    await expect(openIn(folder)).rejects.toMatchObject({ code: errorCode('database_corrupt') })
  })

  test('shows what another process has changed when the same lookup is repeated', async () => {
    const folder = await tempFolder()
    const [records, others] = [await openIn(folder), await openIn(folder)]
    const { id: ownerId } = await records.users.create({ name: 'A', email: null, role: 'owner' })
    const { id } = await records.projects.create({ ownerId, name: 'before', description: '' })
    const names = async () => (await records.members.visibleTo(ownerId)).projects.map(({ name }) => name)
    expect(await names()).toEqual(['before'])
    const before = await records.synonyms.version()
    await others.projects.update(id, { name: 'after' })
    // Requests that arrive later are other events.
    await setImmediate()
    expect(await names()).toEqual(['after'])
    expect(await records.synonyms.version()).toBeGreaterThan(before)
    await others.projects.delete(id)
    await setImmediate()
    expect(await names()).toEqual([])
    await records.close()
    await others.close()
  })

  test('opens with a torn end of its log, and has every earlier commit', async () => {
    const folder = await tempFolder()
    const records = await openIn(folder)
    await records.users.create({ name: 'A', email: null, role: 'owner' })
    // A copy of the open database is what a power cut leaves. The copy ends in the middle of the last commit.
    const cut = await tempFolder()
    await copyFile(join(folder, 'docsearch.db'), join(cut, 'docsearch.db'))
    const log = await readFile(join(folder, 'docsearch.db-wal'))
    await records.users.create({ name: 'B', email: null, role: 'member' })
    const longer = await readFile(join(folder, 'docsearch.db-wal'))
    await writeFile(join(cut, 'docsearch.db-wal'), longer.subarray(0, Math.floor((log.length + longer.length) / 2)))
    await records.close()
    const again = await openIn(cut)
    expect((await again.users.owner())?.name).toBe('A')
    await again.close()
  })
})
