import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runCli, startRealDaemon, type RealDaemon } from '../support/daemon.ts'
import { generatedText } from '../support/generated-text.ts'
import { BUCKET, startVersitygw, VERSITYGW, type TestStore } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'
import { hasPostgres, startPostgres, withClient, type RunningPostgres } from '../support/postgres-server.ts'
import { rest } from '../support/rest.ts'
import { tempFolder } from '../support/temp-folder.ts'

const text = generatedText()
const CONTENTS = Array.from({ length: 12 }, (_, i) => text.document(i * 7).content)
const QUERIES = CONTENTS.map((content) => content.split(/\s+/).slice(20, 24).join(' '))

describe.skipIf(!hasPostgres || VERSITYGW === null)('moving an instance', { timeout: 300_000 }, () => {
  let postgres: RunningPostgres
  let server: TestStore
  beforeAll(async () => {
    ;[postgres, server] = await Promise.all([startPostgres(), startVersitygw()])
  })
  afterAll(async () => {
    await postgres.stop()
    await server[Symbol.asyncDispose]()
  })

  async function start(home: string, env: Record<string, string> = {}): Promise<RealDaemon> {
    const daemon = await startRealDaemon({ home, env: { DOCSEARCH_EMBEDDER: 'builtin', ...env } })
    onTestFinished(() => daemon.dispose())
    return daemon
  }

  let template: ReturnType<typeof fill> | undefined

  /** Makes a data folder with documents, and returns what searches found before the daemon stopped. */
  async function fill() {
    const home = await mkdtemp(join(tmpdir(), 'docsearch-migrate-'))
    const daemon = await startRealDaemon({ home, env: { DOCSEARCH_EMBEDDER: 'builtin' } })
    const key = await daemon.token()
    const { call, settled } = rest(daemon.url, key)
    for (const [i, content] of CONTENTS.entries()) {
      const file = { 'content-type': 'text/plain' }
      expect((await call('POST', `/api/v1/upload?name=doc-${i}.txt&tags=moved`, content, file)).status).toBe(202)
    }
    await settled()
    const found = await findAll(daemon, key)
    await daemon.stop()
    return { home, env: daemon.env, found, key }
  }
  afterAll(async () => {
    if (template !== undefined) await rm((await template).home, { recursive: true })
  })

  /** Copies the filled folder, which is faster than filling another one. */
  async function filledFolder() {
    const { home: from, env, ...rest } = await (template ??= fill())
    const home = await tempFolder()
    await cp(from, home, { recursive: true })
    const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace(from, home)]))
    return { home, env: own, dataDir: join(home, 'instance'), ...rest }
  }

  async function findAll(daemon: RealDaemon, key: string) {
    const { search } = rest(daemon.url, key)
    const answers = await Promise.all(QUERIES.map((query) => search(query)))
    return answers.map(({ results }) => results.map(({ document, text, score }) => [document.id, text, score]))
  }

  async function newPlace() {
    return { database: await postgres.database(), store: `s3://${BUCKET}/${randomBytes(6).toString('hex')}` }
  }

  const run = (env: Record<string, string>, ...args: string[]) =>
    runCli(['--json', 'migrate', ...args], { ...env, ...server.env })

  test('documents, keys and the order of results are the same in a database and an object store, and back in a folder', async () => {
    const { home, env, dataDir, found, key } = await filledFolder()
    const { database, store } = await newPlace()

    const there = await run(env, '--data', dataDir, '--to', database, '--store', store)
    expect(there.stderr).toBe('')
    expect(JSON.parse(there.stdout)).toMatchObject({
      from: dataDir,
      to: `${database} and ${store}`,
      documents: CONTENTS.length,
      originals: CONTENTS.length,
      missing: [],
      index: { state: 'copied' },
    })

    // The old folder is complete, but nothing starts there.
    await expect(startRealDaemon({ home })).rejects.toThrow(
      /were moved to postgres:.* on \d{4}-\d\d-\d\d. Start the instance there/,
    )
    const again = await run(env, '--data', dataDir, '--to', database, '--store', store)
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('were already moved to postgres:') as string })

    const shared = { DOCSEARCH_DATABASE: database, DOCSEARCH_STORE: store, ...server.env }
    const processes = [
      await start(await tempFolder(), shared),
      await start(await tempFolder(), { ...shared, DOCSEARCH_ROLE: 'api' }),
    ]
    for (const daemon of processes) expect(await findAll(daemon, key)).toEqual(found)
    await Promise.all(processes.map((daemon) => daemon.stop()))

    const newHome = await tempFolder()
    // A move leaves this behind when it is killed right after it has opened the folder.
    await mkdir(join(newHome, 'instance', 'tmp'), { recursive: true })
    await writeFile(join(newHome, 'instance', 'daemon.lock'), '')
    const back = await run(env, '--database', database, '--store', store, '--to', join(newHome, 'instance'))
    expect(back.stderr).toBe('')
    expect(JSON.parse(back.stdout)).toMatchObject({
      documents: CONTENTS.length,
      originals: CONTENTS.length,
      missing: [],
      index: { state: 'copied' },
    })
    const returned = await start(newHome)
    expect(await findAll(returned, key)).toEqual(found)
    const listed = JSON.parse((await runCli(['--json', 'documents', 'list', '--tag', 'moved'], returned.env)).stdout) as {
      documents: { id: string }[]
    }
    expect(listed.documents).toHaveLength(CONTENTS.length)
    const { stdout } = await runCli(['documents', 'get', listed.documents[0]!.id, '--output', '-'], returned.env)
    expect(CONTENTS).toContain(stdout)
    expect(await readdir(join(newHome, 'instance'))).not.toContain('migration.json')
  })

  test('a backup of an instance of several processes restores into a folder with the same answers', async () => {
    const { env, dataDir, found, key } = await filledFolder()
    const { database, store } = await newPlace()
    expect(await run(env, '--data', dataDir, '--to', database, '--store', store)).toMatchObject({ code: 0 })
    const daemon = await start(await tempFolder(), { DOCSEARCH_DATABASE: database, DOCSEARCH_STORE: store, ...server.env })
    const target = join(await tempFolder(), 'backup.tar')
    const backup = await runCli(['--json', 'backup', target, '--with-vectors'], { ...daemon.env, DOCSEARCH_TOKEN: key })
    expect(backup).toMatchObject({ code: 0, stderr: '' })
    const home = await tempFolder()
    const restored = await runCli(['--json', 'restore', target, '--data', join(home, 'instance')], env)
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(restored.stdout)).toMatchObject({ documents: CONTENTS.length, missing: [], index: { state: 'restored' } })
    expect(await findAll(await start(home), key)).toEqual(found)
  })

  test('an interrupted move continues, and until then the folder can still be used', async () => {
    const { home, env, dataDir, found, key } = await filledFolder()
    const { database, store } = await newPlace()
    // The store fails in the middle of the originals.
    let puts = 0
    server.proxy.fault = ({ method, url }) => (method === 'PUT' && url.includes('/blobs/') && (puts += 1) > 5 ? 'refuse' : 'pass')
    const broken = await run(env, '--data', dataDir, '--to', database, '--store', store)
    server.proxy.fault = () => 'pass'
    expect(broken.code).toBe(5)
    const still = await start(home)
    expect(await findAll(still, key)).toEqual(found)
    await still.stop()

    const there = await run(env, '--data', dataDir, '--to', database, '--store', store)
    expect(there).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(there.stdout)).toMatchObject({ documents: CONTENTS.length, originals: CONTENTS.length })
  })

  test('another call repairs a crash before the last step', async () => {
    const { env, dataDir } = await filledFolder()
    const { database, store } = await newPlace()
    expect(await run(env, '--data', dataDir, '--to', database, '--store', store)).toMatchObject({ code: 0 })
    // As if the process had been killed before it recorded that the records have arrived.
    const mark = join(dataDir, 'migration.json')
    const { place } = JSON.parse(await readFile(mark, 'utf8')) as { place: string }
    await withClient(database, (client) =>
      client.query(`insert into settings values ('move', $1)`, [JSON.stringify({ state: 'arriving', place: dataDir })]),
    )
    await writeFile(mark, JSON.stringify({ state: 'leaving', place, at: new Date().toISOString() }))
    expect(await run(env, '--data', dataDir, '--to', database, '--store', store)).toMatchObject({ code: 0 })
    const { rows } = await withClient(database, (client) => client.query(`select 1 from settings where name = 'move'`))
    expect(rows).toEqual([])
  })

  test('a move of a folder with a damaged original moves everything else and says so', async () => {
    const { env, dataDir } = await filledFolder()
    const { database, store } = await newPlace()
    const [prefix] = await readdir(join(dataDir, 'blobs'))
    const [rest] = await readdir(join(dataDir, 'blobs', prefix!))
    await writeFile(join(dataDir, 'blobs', prefix!, rest!), 'damaged')
    const there = await run(env, '--data', dataDir, '--to', database, '--store', store)
    expect(there.code).toBe(3)
    expect(JSON.parse(there.stdout)).toMatchObject({ originals: CONTENTS.length - 1, missing: [`${prefix}${rest}`] })
  })

  test('refuses places that are in use, and incomplete arguments', async () => {
    const { env, dataDir } = await filledFolder()
    const { database, store } = await newPlace()
    const outcome = async (...args: string[]) => {
      const { code, stderr } = await run(env, ...args)
      return { code, message: (JSON.parse(stderr) as { message: string }).message }
    }
    expect(await outcome('--data', dataDir, '--to', database)).toEqual({
      code: 2,
      message: expect.stringContaining('store must be set too'),
    })
    expect((await outcome('--data', dataDir, '--to', await tempFolder())).message).toContain(
      '--data names a folder whose documents move',
    )
    expect((await outcome('--data', await tempFolder(), '--to', database, '--store', store)).message).toContain(
      'is not a data folder',
    )
    const other = await filledFolder()
    expect(await run(other.env, '--data', other.dataDir, '--to', database, '--store', store)).toMatchObject({ code: 0 })
    expect((await outcome('--data', dataDir, '--to', database, '--store', store)).message).toContain(
      'The object store is not empty: it has objects such as ',
    )
    // Also without originals.
    const used = (await newPlace()).store
    await (await openStore(server, {}, used)).put('segments/gen_left/log/1', Buffer.from('left'))
    expect((await outcome('--data', dataDir, '--to', database, '--store', used)).message).toContain(
      'it has objects such as segments/gen_left/log/1. Name a prefix without objects',
    )
    const free = (await newPlace()).store
    expect((await outcome('--data', dataDir, '--to', database, '--store', free)).message).toContain('already has docsearch users')
    const full = await tempFolder()
    await writeFile(join(full, 'notes.txt'), 'x')
    expect((await outcome('--database', database, '--store', store, '--to', full)).message).toContain(
      'is not empty: it has notes.txt',
    )
    await rm(full, { recursive: true })
    await writeFile(join(other.dataDir, 'migration.json'), '{')
    expect((await outcome('--data', other.dataDir, '--to', database, '--store', store)).message).toMatch(
      /migration.json is damaged.*If they were moved.*start the instance there. If they were not, delete the file/,
    )
  })

  test('refuses a store that another move has begun to use, and leaves it alone', async () => {
    const [first, second] = [await filledFolder(), await filledFolder()]
    const { database, store } = await newPlace()
    expect(await run(first.env, '--data', first.dataDir, '--to', database, '--store', store)).toMatchObject({ code: 0 })
    const objects = async () => {
      const found: string[] = []
      for await (const { key } of (await openStore(server, {}, store)).list('')) found.push(key)
      return found
    }
    const before = await objects()
    // As if both commands had found an empty store, and this one had been slower.
    const other = (await newPlace()).database
    const place = `${other} and ${store}`
    await writeFile(
      join(second.dataDir, 'migration.json'),
      JSON.stringify({ state: 'leaving', place, at: new Date().toISOString() }),
    )
    const { code, stderr } = await run(second.env, '--data', second.dataDir, '--to', other, '--store', store)
    expect(code).not.toBe(0)
    expect(stderr).toContain('The object store does not belong to this database')
    expect(await objects()).toEqual(before)
  })

  test('refuses to move to a folder from another store or an empty database, and the instance still starts', async () => {
    const { env, dataDir, found, key } = await filledFolder()
    const { database, store } = await newPlace()
    expect(await run(env, '--data', dataDir, '--to', database, '--store', store)).toMatchObject({ code: 0 })
    const target = join(await tempFolder(), 'instance')
    const empty = await newPlace()
    const wrong = await run(env, '--database', database, '--store', empty.store, '--to', target)
    expect(wrong.code).not.toBe(0)
    expect(wrong.stderr).toContain('The object store does not belong to this database')
    const nothing = await run(env, '--database', empty.database, '--store', store, '--to', target)
    expect(nothing.code).not.toBe(0)
    expect(nothing.stderr).toContain('The database has no tables of docsearch')
    const shared = { DOCSEARCH_DATABASE: database, DOCSEARCH_STORE: store, ...server.env }
    const daemon = await start(await tempFolder(), shared)
    expect(await findAll(daemon, key)).toEqual(found)
    await daemon.stop()
    expect(await run(env, '--database', database, '--store', store, '--to', target)).toMatchObject({ code: 0 })
  })

  test('a password in --to is refused', async () => {
    const { stderr } = await run(
      {},
      '--data',
      await tempFolder(),
      '--to',
      'postgres://docsearch:hunter2@127.0.0.1:1/x',
      '--store',
      's3://bucket/prefix',
    )
    expect(stderr).toContain('--to must not contain a password')
    expect(stderr).not.toContain('hunter2')
  })

  test('commands on a folder whose documents were moved away say where they are', async () => {
    const { env, dataDir } = await filledFolder()
    const { database, store } = await newPlace()
    expect(await run(env, '--data', dataDir, '--to', database, '--store', store)).toMatchObject({ code: 0 })
    for (const args of [
      ['backup', join(await tempFolder(), 'backup.tar'), '--data', dataDir],
      ['users', 'add', 'new@example.org', '--data', dataDir],
    ]) {
      const { code, stderr } = await runCli(args, env)
      expect(code).not.toBe(0)
      expect(stderr).toContain(`The documents of ${dataDir} were moved to ${database}`)
    }
  })
})
