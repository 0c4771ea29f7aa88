import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { BIN, cleanEnv, type RealDaemon, runCli, startRealDaemon } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { within } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

describe('the first start on an empty data folder', () => {
  let daemon: RealDaemon
  beforeAll(async () => {
    daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  })
  afterAll(() => daemon?.dispose())

  test('lets the command line of this machine upload and search at once, without a login', async () => {
    const word = rareWord()
    const folder = join(daemon.dataDir, '..', 'papers')
    mkdirSync(folder)
    writeFileSync(join(folder, 'gate.txt'), textWith(word))
    const upload = await runCli(['upload', '--recursive', '--wait', folder], daemon.env)
    expect(upload).toMatchObject({ code: 0 })
    const search = await runCli(['search', word], daemon.env)
    expect(search.code).toBe(0)
    expect(search.stdout).toMatch(new RegExp(`^papers/gate\\.txt:3:.*${word}`))
    expect((await runCli(['search', '--mode', 'keyword', rareWord()], daemon.env)).code).toBe(1)
  })

  test('makes a data folder that only this user can read', () => {
    expect(statSync(daemon.dataDir).mode & 0o777).toBe(0o700)
    expect(statSync(join(daemon.dataDir, 'docsearch.db')).mode & 0o077).toBe(0)
    expect(readdirSync(daemon.dataDir)).toEqual(expect.arrayContaining(['blobs', 'docsearch.db', 'lance']))
  })

  test('prints the setup link and stores only its hash', () => {
    const token = new URL(daemon.setupUrl!).searchParams.get('token')!
    expect(token.length).toBeGreaterThanOrEqual(32)
    const db = new DatabaseSync(join(daemon.dataDir, 'docsearch.db'), { readOnly: true })
    const tables = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all() as { name: string }[]
    const rows = tables.flatMap(({ name }) => db.prepare(`SELECT * FROM "${name}"`).all())
    db.close()
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('writes no secret to the log', () => {
    expect(daemon.stderr()).not.toContain('dsk_')
    expect(
      daemon
        .stderr()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .join(),
    ).not.toContain('token=')
  })
})

test("the next start keeps the documents and the command line's key, at a new address", async () => {
  const word = rareWord()
  const first = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  const home = join(first.dataDir, '..')
  const uploaded = await runCli(['upload', '--wait', '--name', 'note.txt', '-'], first.env, textWith(word))
  expect(uploaded).toMatchObject({ code: 0 })
  expect(await first.stop()).toBe(0)
  const second = await startRealDaemon({ home, env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  try {
    const found = await runCli(['search', '-l', word], second.env)
    expect(found).toMatchObject({ code: 0, stdout: 'note.txt\n' })
    const keys = await runCli(['--json', 'keys', 'list'], second.env)
    expect((JSON.parse(keys.stdout) as { keys: unknown[] }).keys).toHaveLength(1)
  } finally {
    await second.dispose()
  }
})

test('every start prints a new setup link until the owner has a password', async () => {
  const first = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  const home = join(first.dataDir, '..')
  await first.stop()
  const second = await startRealDaemon({ home, env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  expect(second.setupUrl).toMatch(/\/setup\?token=[A-Za-z0-9_-]{43}$/)
  expect(new URL(second.setupUrl!).search).not.toBe(new URL(first.setupUrl!).search)
  await second.stop()
  const records = await openRecords({ file: join(first.dataDir, 'docsearch.db'), clock: systemClock, log: silentLogger })
  await records.users.setPasswordHash((await records.users.owner())!.id, 'a hash')
  await records.close()
  const third = await startRealDaemon({ home, env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  try {
    expect(third.setupUrl ?? null).toBeNull()
  } finally {
    await third.dispose()
  }
})

test('without --json, standard output has one line with the address', async () => {
  const home = await tempFolder()
  const env = cleanEnv(home, { DOCSEARCH_DATA: join(home, 'instance'), DOCSEARCH_EMBEDDER: 'builtin' })
  const child = execFile(process.execPath, [BIN, 'serve', '--port', '0'], { env })
  let stdout = ''
  child.stdout!.on('data', (text: string) => {
    stdout += text
    if (stdout.includes('\n')) child.kill('SIGINT')
  })
  const [code] = (await within('serve to end', once(child, 'close'))) as [number | null]
  expect(code).toBe(0)
  expect(stdout).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\n$/)
})

test('--print-config shows where each value comes from, and starts nothing', async () => {
  const home = await tempFolder()
  const data = join(home, 'instance')
  mkdirSync(data)
  writeFileSync(join(data, 'config.json'), JSON.stringify({ limits: { pages: 77 } }))
  const env = cleanEnv(home, { DOCSEARCH_EMBEDDER: 'builtin' })
  const { code, stdout } = await runCli(['serve', '--print-config', '--port', '0', '--data', data], env)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^limits\.pages +77 .*config\.json$/m)
  expect(stdout).toMatch(/^port +0 +--port$/m)
  expect(stdout).toMatch(/^embedder +builtin +DOCSEARCH_EMBEDDER; overrides `docsearch models use`$/m)
  expect(existsSync(join(data, 'docsearch.db'))).toBe(false)
})

test('reports every fault of the configuration at once and exits with 2', async () => {
  const env = { PATH: process.env.PATH ?? '', DOCSEARCH_PORT: '99999', DOCSEARCH_RATE_LIMIT: 'many', DOCSEARCH_EMBEDER: 'auto' }
  const { code, stderr } = await runCli(['serve'], env)
  expect(code).toBe(2)
  for (const fault of ['port', '99999', 'rate_limit', 'many', 'DOCSEARCH_EMBEDER']) expect(stderr).toContain(fault)
})
