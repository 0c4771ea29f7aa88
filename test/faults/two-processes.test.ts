import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { silentLogger } from '../../src/core/logger.ts'
import type { NewTokens } from '../../src/records/oauth.ts'
import type { Records } from '../../src/records/records.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PROGRAM = fileURLToPath(new URL('../support/claim-process.ts', import.meta.url))
const EACH = 25
const later = () => new Date(Date.now() + 600_000)

/** Starts a process on this database and returns its output lines one by one. */
function claimer(file: string, what: string) {
  const child = spawn(process.execPath, [PROGRAM, file, what, String(EACH)], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    line: async () => (await lines.next()).value as string,
    go: () => child.stdin.write('go\n'),
  }
}

/** Lets two processes try at the same moment. Returns the marks of the attempts that succeeded. */
async function claimInTwoProcesses(file: string, what: string): Promise<string[]> {
  const both = [claimer(file, what), claimer(file, what)]
  for (const process of both) expect(await process.line()).toBe('ready')
  for (const process of both) process.go()
  const won = await Promise.all(both.map(async (process) => JSON.parse(await process.line()) as string[]))
  return won.flat()
}

async function setUp(): Promise<{ file: string; records: Records; userId: string }> {
  const file = join(await tempFolder(), 'docsearch.db')
  const records = await openRecords({ file, clock: systemClock, log: silentLogger })
  onTestFinished(() => records.close())
  const { id: userId } = await records.users.create({ name: 'Ann', email: null, role: 'owner' })
  return { file, records, userId }
}

const newCode = (records: Records, userId: string) =>
  records.oauth.codes.create({
    sha256: 'the code',
    clientId: 'app',
    userId,
    redirectUri: 'https://app.example/',
    scopes: [],
    projectIds: null,
    codeChallenge: null,
    resource: null,
    expiresAt: later(),
  })
const first: NewTokens = {
  access: { sha256: 'the access token', expiresAt: later() },
  refresh: { sha256: 'the refresh token', expiresAt: later() },
  scopes: [],
}

test('50 redemptions of one code by two processes: one wins, and only its tokens exist', async () => {
  const { file, records, userId } = await setUp()
  await newCode(records, userId)
  const won = await claimInTwoProcesses(file, 'code')
  expect(won).toHaveLength(1)
  const grants = await records.oauth.grants.list(userId)
  expect(grants).toHaveLength(1)
  expect((await records.oauth.grants.findAccess(`access ${won[0]}`))?.grant).toEqual(grants[0])
})

test('50 refreshes with one token by two processes: one wins, and the earlier access token is revoked', async () => {
  const { file, records, userId } = await setUp()
  await newCode(records, userId)
  await records.oauth.codes.redeem('the code', first)
  const won = await claimInTwoProcesses(file, 'refresh')
  expect(won).toHaveLength(1)
  expect(await records.oauth.grants.findAccess(`access ${won[0]}`)).not.toBeNull()
  expect(await records.oauth.grants.findAccess('the access token')).toBeNull()
})

test('50 redemptions of one device code by two processes: one wins', async () => {
  const { file, records, userId } = await setUp()
  await records.oauth.devices.create({
    deviceSha256: 'the device code',
    userSha256: 'the user code',
    clientId: 'app',
    scopes: [],
    resource: null,
    expiresAt: later(),
    intervalSeconds: 5,
  })
  await records.oauth.devices.decide('the user code', { userId, approve: true, projectIds: null })
  expect(await claimInTwoProcesses(file, 'device')).toHaveLength(1)
  expect(await records.oauth.grants.list(userId)).toHaveLength(1)
})

test('50 uses of one link by two processes: one wins, and sets the password', async () => {
  const { file, records, userId } = await setUp()
  await records.links.create({ userId, purpose: 'setup', sha256: 'the link', expiresAt: later() })
  const won = await claimInTwoProcesses(file, 'link')
  expect(won).toHaveLength(1)
  expect(await records.users.passwordHash(userId)).toBe(won[0])
})
