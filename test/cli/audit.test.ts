import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditEvent } from '../../src/contract/audit.ts'
import { newDataFolder, onFolder } from '../support/administration.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { runCommand, type CliOptions } from '../support/cli.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.bob.post('/api/v1/projects', { name: 'contracts' })
  await app.bob.upload(
    Array.from({ length: 3 }, (_, i) => ({ name: `${i}.txt`, content: `${i}` })),
    { project: 'contracts' },
  )
  await app.bob.upload([{ name: '0.txt', content: 'new' }], { project: 'contracts' })
})
afterAll(() => app?.close())

const cli = (args: readonly string[], options: CliOptions = {}) =>
  runCommand(['audit', ...args], {
    ...options,
    env: { DOCSEARCH_SERVER: app.url, DOCSEARCH_TOKEN: app.bob.key!, ...options.env },
  })

test('lists the newest events first, and separates columns by tabs on a pipe', async () => {
  const { code, stdout, stderr } = await cli(['--project', 'contracts'])
  expect([code, stderr]).toEqual([0, ''])
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  expect(rows.map(([, action, , , subject]) => [action, subject])).toEqual([
    ['document.replace', '0.txt'],
    ['document.upload', '2.txt'],
    ['document.upload', '1.txt'],
    ['document.upload', '0.txt'],
    ['project.create', '-'],
  ])
  expect(rows[0]!.slice(2)).toEqual([
    'bob@example.org',
    'contracts',
    '0.txt',
    '127.0.0.1',
    `key for the test …${app.bob.key!.slice(-4)}`,
    'size_bytes=3',
  ])
})

test('fits the width of the terminal', async () => {
  const { stdout } = await cli(['--project', 'contracts'], { terminal: 90 })
  const [header, ...lines] = stdout.trimEnd().split(/\r?\n/)
  expect(header).toMatch(/TIME +ACTION +ACTOR +PROJECT +SUBJECT/)
  expect(lines).toHaveLength(5)
  // oxlint-disable-next-line no-control-regex -- the colours of the terminal
  for (const line of lines) expect(line.replaceAll(/\u001b\[\d*m/g, '').length).toBeLessThanOrEqual(90)
})

test('takes the filters of the API, and says when there are more events', async () => {
  const events = async (...args: string[]) =>
    (JSON.parse((await cli([...args, '--json'])).stdout) as { events: AuditEvent[] }).events.map(({ action }) => action)
  expect(await events('--action', 'document.replace')).toEqual(['document.replace'])
  expect(await events('--actor', 'bob@example.org', '--project', 'contracts', '--limit', '2')).toEqual([
    'document.replace',
    'document.upload',
  ])
  expect(await events('--after', '2020-01-01', '--project', 'contracts')).toHaveLength(5)
  const some = await cli(['--limit', '1'])
  expect([some.code, some.stderr]).toEqual([0, expect.stringContaining('earlier events')])
})

test('exits with 1 when there is no such event, and with 2 when the filter is wrong', async () => {
  const none = await cli(['--before', '2020-01-01'])
  expect(none).toMatchObject({ code: 1, stdout: '' })
  expect(none.stderr).toContain('No events.')
  expect((await cli(['--before', '2020-01-01', '--json'])).code).toBe(1)
  expect((await cli(['--action', 'document.burn'])).code).toBe(2)
  expect((await cli(['--after', 'yesterday'])).code).toBe(2)
  expect((await cli(['--project', 'none'])).code).toBe(2)
})

test('works on a data folder, and names the command line there', async () => {
  const folder = onFolder(newDataFolder())
  await folder(['users', 'add', 'owner@example.org'])
  await folder(['users', 'add', 'ada@example.org'])
  const { code, stdout } = await folder(['audit', '--json'])
  expect(code).toBe(0)
  const { events } = JSON.parse(stdout) as { events: AuditEvent[] }
  expect(events.map(({ action, user }) => [action, user?.email])).toEqual([
    ['user.invite', 'ada@example.org'],
    ['user.create', 'ada@example.org'],
    ['user.invite', 'owner@example.org'],
    ['user.create', 'owner@example.org'],
  ])
  expect(events[0]).toMatchObject({
    actor: { email: 'owner@example.org' },
    address: null,
    credential: { kind: 'command_line', id: null, name: null, last_four: null },
  })
  expect(events.at(-1)!.actor).toBeNull()
})
