import { readdirSync, statSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { User, UserCreated, UserDeleted, UserList, UserReset } from '../../src/contract/users.ts'
import { besideDaemon, type Cli, json, newDataFolder, onFolder, onNewDatabase, overApi } from '../support/administration.ts'
import { runCommand } from '../support/cli.ts'
import { type RealDaemon, runCli, startRealDaemon } from '../support/daemon.ts'
import { isOnServers } from '../support/on-servers.ts'
import { runSql } from '../support/open-database.ts'
import { rest } from '../support/rest.ts'
import { until } from '../support/until.ts'

const PASSWORD = 'four wooden boats drift'

let daemon: RealDaemon
beforeAll(async () => {
  daemon = await startRealDaemon()
})
afterAll(() => daemon?.dispose())

async function withOwner(cli: Cli): Promise<Cli> {
  await json(cli, ['users', 'add', 'owner@example.org'])
  return cli
}

const WAYS: [string, () => Promise<Cli> | Cli][] = [
  ['over the API', () => overApi(daemon)],
  ['on the data folder of a running daemon', () => besideDaemon(daemon)],
  ['on a data folder without a daemon', () => withOwner(onFolder(newDataFolder()))],
]
if (isOnServers) WAYS.push(['on a database without a daemon', async () => withOwner(await onNewDatabase())])

test.each(WAYS)('invites, shows, disables, enables, resets and deletes a member %s', async (way, open) => {
  const cli = await open()
  const email = `ada-${WAYS.findIndex(([name]) => name === way)}@example.org`
  const added = await json<UserCreated>(cli, ['users', 'add', email, '--name', 'Ada'])
  expect(added).toMatchObject({ email, name: 'Ada', role: 'member', disabled: false, has_password: false, project_count: 0 })
  expect(added.invitation_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+(?:\/docs)?\/setup\?token=[\w-]{40,}$/)
  expect(Date.parse(added.invitation_expires_at!)).toBeGreaterThan(Date.now() + 6 * 86_400_000)
  const { invitation_url: _, invitation_expires_at: __, ...user } = added

  expect((await json<UserList>(cli, ['users', 'list'])).users).toContainEqual(user)
  expect((await json<UserList>(cli, ['users', 'ls', '--limit', '1'])).users.map(({ role }) => role)).toEqual(['owner'])
  expect((await cli(['users', 'list'])).stdout).toMatch(new RegExp(`^${added.id}\t.*\tno password yet\t0\t`, 'm'))
  expect((await cli(['users', 'show', email.toUpperCase()])).stdout).toContain(`id\t${added.id}\n`)
  expect(await json<User>(cli, ['users', 'disable', email])).toEqual({ ...user, disabled: true })
  expect((await cli(['users', 'reset', email])).code).toBe(2)
  expect(await json<User>(cli, ['users', 'enable', added.id])).toEqual(user)
  const reset = await json<UserReset>(cli, ['users', 'reset', email])
  expect(reset.invitation_url).not.toBe(added.invitation_url)

  const refused = await cli(['users', 'delete', email])
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('--yes')
  expect(await json<UserDeleted>(cli, ['users', 'rm', email, '--yes'])).toEqual({ id: added.id, email, documents_deleted: 0 })
  const gone = await cli(['users', 'show', email])
  expect(gone).toMatchObject({ code: 2, stdout: '' })
  expect(gone.stderr).toContain('`docsearch users list`')
})

test.each(WAYS)('shows the usage of a user, and sets quotas %s', async (way, open) => {
  const cli = await open()
  const email = `quota-${WAYS.findIndex(([name]) => name === way)}@example.org`
  const added = await json<UserCreated>(cli, ['users', 'add', email])
  const none = { documents: null, bytes: null, passages: null }
  expect(added).toMatchObject({ usage: { documents: 0, bytes: 0, passages: 0 }, quota: none })
  const set = ['users', 'quota', email]
  expect((await json<User>(cli, [...set, '--bytes', '5GB', '--documents', '100'])).quota).toEqual({
    documents: 100,
    bytes: 5_000_000_000,
    passages: null,
  })
  const shown = (await cli(['users', 'show', email])).stdout
  expect(shown).toContain('documents\t0 of 100\nbytes\t0 of 5000000000\npassages\t0\n')
  expect((await json<User>(cli, [...set, '--bytes', 'default', '--documents', 'none'])).quota).toEqual(none)
  for (const args of [[], ['--bytes', '5XB'], ['--documents', '-1']]) expect((await cli([...set, ...args])).code).toBe(2)
})

test.each(WAYS)('explains an impossible request %s and exits with 2', async (_way, open) => {
  const cli = await open()
  const owner = (await json<UserList>(cli, ['users', 'list'])).users[0]!
  for (const [args, sentence] of [
    [['users', 'disable', owner.id], 'owner'],
    [['users', 'delete', owner.id, '--yes'], 'owner'],
    [['users', 'add', 'not-an-address'], 'email address'],
    [['users', 'add'], 'missing required argument'],
    [['users', 'invite'], "unknown command 'users invite'"],
  ] as const) {
    const run = await cli(args)
    expect(run, args.join(' ')).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain(sentence)
  }
  const short = await cli(['users', 'add', 'bea@example.org', '--password-stdin'], 'short\n')
  expect(short).toMatchObject({ code: 2, stdout: '' })
  expect(short.stderr).toContain('10 characters')
  expect((await cli(['users', 'show', 'bea@example.org'])).code).toBe(2)
})

describe('a new data folder', () => {
  test('becomes private, and its first user is the owner that serve finds', async () => {
    const data = newDataFolder()
    const cli = onFolder(data)
    const run = await cli(['users', 'add', 'me@example.org', '--name', 'Me', '--password-stdin'], `${PASSWORD}\n`)
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(/^role\towner$/m)
    expect(run.stdout + run.stderr).not.toContain(PASSWORD)
    expect(statSync(data).mode & 0o777).toBe(0o700)
    expect(readdirSync(data).filter((name) => (statSync(join(data, name)).mode & 0o077) !== 0)).toEqual([])
    expect((await json<User>(cli, ['users', 'add', 'you@example.org'])).role).toBe('member')
  })

  test('gets one owner when several processes create it at once', async () => {
    const folder = newDataFolder()
    const env = { HOME: folder, XDG_CONFIG_HOME: folder, DOCSEARCH_DATA: join(folder, 'data') }
    const names = ['a', 'b', 'c', 'd']
    const runs = await Promise.all(names.map((name) => runCli(['users', 'add', `${name}@example.org`, '--json'], env)))
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, expect.not.stringContaining('"code"')]))
    const roles = runs.map(({ stdout }) => (JSON.parse(stdout) as UserCreated).role)
    expect(roles.toSorted()).toEqual(['member', 'member', 'member', 'owner'])
  })

  test('may contain settings, and links use their address', async () => {
    const data = newDataFolder()
    mkdirSync(data)
    writeFileSync(join(data, 'config.json'), '{"public_url": "https://docs.example.org"}')
    const made = await json<UserCreated>(onFolder(data), ['users', 'add', 'me@example.org'])
    expect(made.invitation_url).toMatch(/^https:\/\/docs\.example\.org\/setup\?token=/)
    const asked = ['users', 'reset', 'me@example.org', '--public-url', 'https://other.example.org']
    expect((await json<UserReset>(onFolder(data), asked)).invitation_url).toMatch(/^https:\/\/other\.example\.org\/setup/)
  })

  test.each([
    ['users', 'list'],
    ['users', 'show', 'x'],
    ['clients', 'list'],
    ['clients', 'create', 'x', '--redirect-uri', 'https://x.org/'],
  ])('is not created by %s %s', async (...args) => {
    const data = newDataFolder()
    const run = await onFolder(data)(args)
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain(`${data} is not a data folder`)
    expect(() => statSync(data)).toThrow('ENOENT')
  })
})

test.each<[string, (data: string) => void | Promise<void>, RegExp]>([
  ['other files', (data: string) => writeFileSync(join(data, 'letter.pdf'), 'x'), /is not a data folder/],
  ['a newer database', newer, /newer version/],
  [
    'a damaged database',
    (data: string) => writeFileSync(join(data, 'docsearch.db'), 'no database '.repeat(500)),
    /damaged|corrupt/i,
  ],
])('refuses a folder with %s, and does not change it', async (_what, spoil, sentence) => {
  const data = newDataFolder()
  mkdirSync(data)
  await spoil(data)
  const before = readdirSync(data).filter((name) => !/-(wal|shm)$/.test(name))
  const run = await onFolder(data)(['users', 'add', 'me@example.org'])
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr).toMatch(sentence)
  expect(readdirSync(data).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(before)
})

async function newer(data: string): Promise<void> {
  await json(onFolder(data), ['users', 'add', 'me@example.org'])
  const db = new DatabaseSync(join(data, 'docsearch.db'))
  db.prepare(`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999_from_the_future', ?)`).run(new Date().toISOString())
  db.close()
}

test('refuses --data together with an instance', async () => {
  for (const flag of [
    ['--server', 'http://127.0.0.1:1'],
    ['--profile', 'work'],
  ])
    expect(await runCommand(['users', 'list', '--data', '/nowhere', ...flag])).toMatchObject({ code: 2, stdout: '' })
  // A named instance takes precedence over the folder in the environment.
  const env = { DOCSEARCH_DATA: '/nowhere', DOCSEARCH_SERVER: 'http://127.0.0.1:1', DOCSEARCH_TOKEN: 'dsk_x' }
  expect((await runCommand(['users', 'list'], { env })).code).toBe(5)
  expect((await runCommand(['users', 'list'], { env: { DOCSEARCH_DATA: '/nowhere' } })).stderr).toContain('/nowhere is not')
})

test('asks for a password twice, and once before deleting', async () => {
  const data = newDataFolder()
  const answers = [PASSWORD, PASSWORD, PASSWORD, 'something else instead']
  const password = async () => answers.shift()!
  const add = (email: string) =>
    runCommand(['users', 'add', email, '--password-stdin', '--data', data], { terminal: 100, prompts: { password } })
  expect((await add('me@example.org')).code).toBe(0)
  const mistyped = await add('bob@example.org')
  expect(mistyped).toMatchObject({ code: 2, stdout: '' })
  expect(mistyped.stderr).toContain('do not match')
  await json(onFolder(data), ['users', 'add', 'bob@example.org'])
  const asked: string[] = []
  const remove = (answer: boolean) =>
    runCommand(['users', 'delete', 'bob@example.org', '--data', data], {
      terminal: 100,
      prompts: { confirm: async ({ message }) => (asked.push(message), answer) },
    })
  const none = await remove(false)
  expect(none).toMatchObject({ code: 130, stderr: expect.stringContaining('The user has no private projects.') })
  const db = new DatabaseSync(join(data, 'docsearch.db'))
  db.exec(`insert into projects (id, owner_id, unique_name, name, description, created_at, updated_at)
    select 'prj_1', id, 'prj_1', 'Love letters', '', 1, 1 from users where email = 'bob@example.org'`)
  db.close()
  expect((await remove(false)).stderr).toContain('Love letters (0 documents)')
  expect((await remove(true)).code).toBe(0)
  expect(asked).toEqual(Array(3).fill('Delete user bob@example.org, these projects, and all keys and applications of the user?'))
})

test("a member's key exits with 4", async () => {
  const member = await json<UserCreated>(overApi(daemon), ['users', 'add', 'mia@example.org'])
  const token = await daemon.token()
  await runSql(daemon.database, `UPDATE api_keys SET owner_id = '${member.id}' WHERE name = 'for the tests'`)
  const run = await runCli(['users', 'list'], { ...daemon.env, DOCSEARCH_TOKEN: token })
  expect(run).toMatchObject({ code: 4, stdout: '' })
  expect(run.stderr).toContain('owner')
})

test('a change on the data folder applies to the running daemon at once, which removes the data of a deleted user', async () => {
  const beside = besideDaemon(daemon)
  const { id } = await json<User>(beside, ['users', 'add', 'zoe@example.org', '--password-stdin'], PASSWORD)
  const made = await runCli(
    ['--json', 'keys', 'create', 'of zoe', '--scope', 'write:documents', '--scope', 'read:documents'],
    daemon.env,
  )
  const { key } = JSON.parse(made.stdout) as { key: string }
  await runSql(daemon.database, `UPDATE api_keys SET owner_id = '${id}' WHERE name = 'of zoe'`)
  const zoe = rest(daemon.url, key)
  await zoe.upload([{ name: 'zoe.txt', content: 'Zoe writes about zeppelins.' }], { wait: true })
  await json(beside, ['users', 'disable', 'zoe@example.org'])
  expect((await zoe.call('GET', '/api/v1/me')).status).toBe(401)
  await json(beside, ['users', 'enable', 'zoe@example.org'])
  expect((await zoe.search('zeppelins')).results).toHaveLength(1)
  expect(await json<UserDeleted>(beside, ['users', 'delete', id, '--yes'])).toMatchObject({ documents_deleted: 1 })
  expect((await zoe.call('GET', '/api/v1/me')).status).toBe(401)

  // The daemon removes the passages from the index at its next start at the latest.
  await daemon.stop()
  daemon = await startRealDaemon({ home: join(daemon.dataDir, '..') })
  await until('nothing is left to be taken out of the index', async () => {
    const left = await runSql(daemon.database, 'SELECT document_id FROM tombstones')
    return left.length === 0
  })
})

test("the error names --data when the local daemon does not run, and the owner's account is completed there", async () => {
  const home = join(daemon.dataDir, '..')
  const { DOCSEARCH_SERVER: _, DOCSEARCH_DATA: data, ...env } = daemon.env
  await daemon.stop()
  const away = await runCli(['users', 'list'], env)
  expect(away).toMatchObject({ code: 5, stdout: '' })
  expect(away.stderr).toContain(`--data ${data}`)

  const complete = ['users', 'add', 'me@example.org', '--owner', '--password-stdin', '--data', data!]
  const done = await runCli([...complete, '--json'], env, PASSWORD)
  expect(JSON.parse(done.stdout)).toMatchObject({ email: 'me@example.org', role: 'owner', has_password: true })
  expect((await runCli(complete, env, PASSWORD)).stderr).toContain('already has an owner')
  daemon = await startRealDaemon({ home })
  expect(daemon.setupUrl).toBeNull()
})
