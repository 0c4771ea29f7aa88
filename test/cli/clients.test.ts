import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OAuthClient, OAuthClientCreated, OAuthClientList, OAuthClientRotated } from '../../src/contract/clients.ts'
import { besideDaemon, type Cli, json, newDataFolder, onFolder, onNewDatabase, overApi } from '../support/administration.ts'
import { runCommand } from '../support/cli.ts'
import { type RealDaemon, startRealDaemon } from '../support/daemon.ts'
import { isOnServers } from '../support/on-servers.ts'

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
const CALLBACK = 'https://app.example.org/callback'

test.each(WAYS)('creates, shows, rotates and deletes an application %s', async (_way, open) => {
  const cli = await open()
  expect(await cli(['clients', 'list'])).toMatchObject({ code: 1, stdout: '' })
  const created = await json<OAuthClientCreated>(cli, [
    'clients',
    'create',
    'Reading list',
    '--redirect-uri',
    CALLBACK,
    '--redirect-uri',
    'http://127.0.0.1/callback',
    '--scope',
    'read:documents',
  ])
  expect(created).toMatchObject({
    client_id: expect.stringMatching(/^app_/),
    client_secret: expect.stringMatching(/^dss_[\w-]{43}$/),
    name: 'Reading list',
    type: 'confidential',
    redirect_uris: [CALLBACK, 'http://127.0.0.1/callback'],
    scopes: ['read:documents'],
  })
  const { client_secret: secret, ...client } = created
  const id = created.client_id
  expect((await json<OAuthClientList>(cli, ['clients', 'list'])).clients).toEqual([client])
  expect(await json<OAuthClient>(cli, ['clients', 'show', id])).toEqual(client)
  expect((await cli(['clients'])).stdout).toMatch(new RegExp(`^${id}\tReading list\tconfidential\tread:documents\t`))

  const rotated = await json<OAuthClientRotated>(cli, ['clients', 'rotate', id, '--grace', '2h'])
  expect(rotated.client_secret).not.toBe(secret)
  const hours = (Date.parse(rotated.old_secrets_expire_at) - Date.parse(rotated.updated_at)) / 3_600_000
  expect(hours).toBeCloseTo(2, 1)
  expect(rotated.secrets.map(({ last_four }) => last_four)).toEqual([rotated.client_secret.slice(-4), secret!.slice(-4)])

  expect((await cli(['clients', 'delete', id])).code).toBe(2)
  expect(await cli(['clients', 'rm', id, '--yes'])).toMatchObject({ code: 0, stdout: 'Deleted application Reading list\n' })
  const gone = await cli(['clients', 'show', id])
  expect(gone).toMatchObject({ code: 2, stdout: '' })
  expect(gone.stderr).toContain('`docsearch clients list`')
})

test.each(WAYS)('a public application %s has no secret, and an invalid redirect address is named', async (_way, open) => {
  const cli = await open()
  const args = ['clients', 'create', 'notes', '--public', '--redirect-uri', 'http://127.0.0.1/callback']
  const run = await cli(args)
  expect(run).toMatchObject({ code: 0, stderr: '' })
  expect(run.stdout).toMatch(/^client_id\tapp_\w+\nname\tnotes\ntype\tpublic\n/)
  const id = /^client_id\t(\w+)$/m.exec(run.stdout)![1]!
  expect((await cli(['clients', 'rotate', id])).stderr).toContain('no secret')
  const refused = await cli(['clients', 'create', 'notes', '--redirect-uri', 'http://app.example.org/callback'])
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('"http://app.example.org/callback"')
})

test('prints a new secret aligned on a terminal, and says that it is shown only once', async () => {
  const data = newDataFolder()
  await json(onFolder(data), ['users', 'add', 'owner@example.org'])
  const run = await runCommand(['clients', 'create', 'notes', '--redirect-uri', CALLBACK, '--data', data], {
    terminal: 120,
    env: { NO_COLOR: '1' },
  })
  expect(run.stdout).toMatch(/^client_id {6}app_\w+\nclient_secret {2}dss_[\w-]{43}\nname {11}notes\n/)
  expect(run.stderr).toContain('shown only once')
})

test.each([
  [['create', 'x'], '--redirect-uri'],
  [['create', 'x', '--redirect-uri', CALLBACK, '--scope', 'all'], 'read:documents'],
  [['rotate', 'app_x', '--grace', 'soon'], '30m, 12h or 7d'],
  [['rotate', 'app_x', '--grace', '31d'], 'at most 30d'],
  [['rotate'], 'missing required argument'],
])('clients %j exits with 2 for wrong usage', async (args, sentence) => {
  const run = await runCommand(['clients', ...args])
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr).toContain(sentence)
})
