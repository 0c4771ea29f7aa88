import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createAccounts } from '../../../src/auth/accounts.ts'
import { createPasswords } from '../../../src/auth/passwords.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import type { Records } from '../../../src/records/records.ts'
import { openRecordsIn } from '../../support/temp-records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { testClock } from '../../support/test-clock.ts'
import { errorCode } from '../../support/codes.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const PASSWORD = 'blue kettle sings'
const address = '192.0.2.1'
/** Cheap hashes: these tests do not check the cost. */
const quick = createPasswords({ memoryKiB: 64, passes: 1, parallelism: 1 })

async function setUp(change: { loginFailures?: number; records?: (records: Records) => Partial<Records> } = {}) {
  const folder = await tempFolder()
  const clock = testClock()
  const opened = await openRecordsIn({ file: join(folder, 'docsearch.db'), clock, log: silentLogger })
  onTestFinished(() => opened.close())
  const records = { ...opened, ...change.records?.(opened) }
  const make = (passwords = quick) =>
    createAccounts({ records, clock, loginFailures: change.loginFailures ?? 3, log: silentLogger, passwords })
  const accounts = make()
  const owner = await opened.users.create({ name: 'Ann', email: null, role: 'owner' })
  const ben = await opened.users.create({ name: 'Ben', email: 'ben@example.org', role: 'member' })
  await accounts.setPassword(ben.id, PASSWORD)
  const logIn = (password = PASSWORD, email = 'ben@example.org') => accounts.logIn({ email, password, address })
  return { folder, clock, records: opened, accounts, make, owner, ben, logIn }
}

test('logs in with the right password and the right address, in any letter case', async () => {
  const { ben, logIn } = await setUp()
  expect(await logIn(PASSWORD, 'BEN@example.org')).toMatchObject({ id: ben.id })
  expect(await logIn('another password')).toBeNull()
  expect(await logIn(PASSWORD, 'nobody@example.org')).toBeNull()
})

test('refuses a disabled user and a user without a password', async () => {
  const { records, ben, logIn } = await setUp({ loginFailures: 0 })
  await records.users.create({ name: 'New', email: 'new@example.org', role: 'member' })
  for (const password of ['', PASSWORD]) expect(await logIn(password, 'new@example.org')).toBeNull()
  await records.users.setDisabled(ben.id, true)
  expect(await logIn()).toBeNull()
})

test('locks an account that does not exist like one that does', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  for (const email of ['ben@example.org', 'nobody@example.org']) {
    const { logIn } = await setUp()
    for (let i = 0; i < 3; i++) expect(await logIn('wrong', i % 2 === 0 ? email : email.toUpperCase())).toBeNull()
    const locked = { code: errorCode('too_many_failures'), message: expect.stringContaining('15 minutes'), retryAfter: 15 * 60 }
    await expect(logIn(PASSWORD, email)).rejects.toMatchObject(locked)
    vi.advanceTimersByTime(15 * MINUTE)
    expect(await logIn(PASSWORD, email)).toEqual(email.startsWith('ben') ? expect.anything() : null)
  }
})

test('limits guesses at the same time like guesses one after the other', async () => {
  const { logIn } = await setUp()
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => logIn(`guess number ${i}`)))
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(3)
})

test('counts checkPassword as a login', async () => {
  const { accounts, ben, logIn } = await setUp()
  expect(await accounts.checkPassword(ben.id, PASSWORD, address)).toBe(true)
  for (let i = 0; i < 3; i++) expect(await accounts.checkPassword(ben.id, 'wrong', `192.0.2.${i}`)).toBe(false)
  await expect(accounts.checkPassword(ben.id, PASSWORD, address)).rejects.toMatchObject({ code: errorCode('too_many_failures') })
  await expect(logIn()).rejects.toMatchObject({ code: errorCode('too_many_failures') })
  const other = await setUp()
  expect(await other.accounts.checkPassword('usr_none', PASSWORD, address)).toBe(false)
})

test('a login after a change of the cost replaces the hash once', async () => {
  const { records, make, ben } = await setUp()
  const dearer = make(createPasswords({ memoryKiB: 128, passes: 1, parallelism: 1 }))
  const before = await records.users.passwordHash(ben.id)
  expect(await dearer.logIn({ email: 'ben@example.org', password: PASSWORD, address })).not.toBeNull()
  const after = await records.users.passwordHash(ben.id)
  expect(after).toContain('m=128,')
  expect(after).not.toBe(before)
  expect(await dearer.logIn({ email: 'ben@example.org', password: PASSWORD, address })).not.toBeNull()
  expect(await records.users.passwordHash(ben.id)).toBe(after)
})

test('a refused password changes nothing; a new password ends links that were sent before', async () => {
  const { accounts, ben, logIn } = await setUp({ loginFailures: 0 })
  const { token } = await accounts.issueLink(ben.id, 'reset')
  await expect(accounts.setPassword(ben.id, 'short')).rejects.toMatchObject({ code: errorCode('password_too_short') })
  await expect(accounts.setPassword(ben.id, 'ben@example.org')).rejects.toMatchObject({ code: errorCode('password_too_common') })
  expect(await logIn()).not.toBeNull()
  expect(await accounts.findLink(token)).not.toBeNull()
  await accounts.setPassword(ben.id, 'green kettle hums')
  expect(await accounts.findLink(token)).toBeNull()
  expect(await logIn()).toBeNull()
  expect(await logIn('green kettle hums')).not.toBeNull()
})

test.each([
  ['setup', MINUTE * 30],
  ['invitation', DAY * 7],
  ['reset', DAY],
] as const)('a %s link works until it expires', async (purpose, life) => {
  const { clock, accounts, ben } = await setUp()
  const { token, expiresAt } = await accounts.issueLink(ben.id, purpose)
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(expiresAt.getTime() - clock.now().getTime()).toBe(life)
  clock.advance(life - 1)
  expect(await accounts.findLink(token)).toMatchObject({ purpose, user: { id: ben.id } })
  clock.advance(1)
  expect(await accounts.findLink(token)).toBeNull()
  expect(await accounts.useLink(token, { password: PASSWORD })).toBeNull()
})

test("a setup link makes the owner's account once, and a newer link ends it", async () => {
  const { accounts, owner, logIn } = await setUp()
  const old = await accounts.issueLink(owner.id, 'setup')
  const { token } = await accounts.issueLink(owner.id, 'setup')
  expect(await accounts.findLink(old.token)).toBeNull()
  const made = await accounts.useLink(token, { password: PASSWORD, email: 'ann@example.org', name: 'Ann S.' })
  expect(made).toMatchObject({ id: owner.id, name: 'Ann S.', email: 'ann@example.org', hasPassword: true, role: 'owner' })
  expect(await accounts.useLink(token, { password: 'another one here' })).toBeNull()
  expect(await logIn(PASSWORD, 'ann@example.org')).toMatchObject({ id: owner.id })
})

test('a refused account does not use the link up', async () => {
  const { accounts, owner, records } = await setUp()
  const { token } = await accounts.issueLink(owner.id, 'setup')
  const attempts = [
    [{ password: PASSWORD }, errorCode('email_required')],
    [{ password: 'short', email: 'ann@example.org' }, errorCode('password_too_short')],
    [{ password: 'ann@example.org', email: 'ann@example.org' }, errorCode('password_too_common')],
    [{ password: PASSWORD, email: 'BEN@example.org' }, errorCode('user_exists')],
  ] as const
  for (const [account, code] of attempts) await expect(accounts.useLink(token, account)).rejects.toMatchObject({ code })
  expect(await records.users.get(owner.id)).toMatchObject({ hasPassword: false, email: null })
  expect(await accounts.useLink(token, { password: PASSWORD, email: 'ann@example.org' })).toMatchObject({ id: owner.id })
})

test('a password reset ends all sessions of the user', async () => {
  const { accounts, ben } = await setUp()
  const { token: cookie } = await accounts.startSession(ben, { userAgent: 'Browser', address })
  const { token } = await accounts.issueLink(ben.id, 'reset')
  expect(await accounts.findSession(cookie)).not.toBeNull()
  await accounts.useLink(token, { password: 'green kettle hums' })
  expect(await accounts.findSession(cookie)).toBeNull()
})

test('a session lives 14 days after its last use', async () => {
  const { clock, accounts, ben } = await setUp()
  const { token, session } = await accounts.startSession(ben, { userAgent: 'x'.repeat(1000), address })
  expect(session.userAgent).toHaveLength(300)
  clock.advance(14 * DAY - 1)
  expect(await accounts.findSession(token)).toMatchObject({ user: { id: ben.id }, session: { id: session.id } })
  clock.advance(14 * DAY - 1)
  expect(await accounts.findSession(token)).not.toBeNull()
  clock.advance(14 * DAY)
  expect(await accounts.findSession(token)).toBeNull()
})

test('ends one session, or all others at once', async () => {
  const { accounts, ben } = await setUp()
  const start = () => accounts.startSession(ben, { userAgent: 'Browser', address })
  const [one, two, three] = [await start(), await start(), await start()]
  expect(await accounts.endSession(ben.id, one.session.id)).toBe(true)
  expect(await accounts.findSession(one.token)).toBeNull()
  expect(await accounts.endOtherSessions(ben.id, two.session.id)).toBe(1)
  expect(await accounts.findSession(three.token)).toBeNull()
  expect((await accounts.listSessions(ben.id)).map((session) => session.id)).toEqual([two.session.id])
})

test("accepts a session even if its use can't be recorded", async () => {
  const { accounts, ben } = await setUp({
    records: ({ sessions }) => ({ sessions: { ...sessions, touch: () => Promise.reject(new Error('the disk is full')) } }),
  })
  const { token } = await accounts.startSession(ben, { userAgent: 'Browser', address })
  expect(await accounts.findSession(token)).not.toBeNull()
})

test('stores no password and no token in the data folder', async () => {
  const { folder, accounts, ben } = await setUp()
  const { token: link } = await accounts.issueLink(ben.id, 'reset')
  const { token: cookie } = await accounts.startSession(ben, { userAgent: 'Browser', address })
  const files = await readdir(folder)
  expect(files).toContain('docsearch.db')
  for (const file of files) {
    const bytes = await readFile(join(folder, file))
    for (const secret of [PASSWORD, link, cookie]) expect(bytes.includes(secret), file).toBe(false)
  }
})
