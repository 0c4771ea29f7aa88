import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Kysely, sql } from 'kysely'
import { systemClock } from '../../src/core/clock.ts'
import { silentLogger } from '../../src/core/logger.ts'
import type { QueuedDocument } from '../../src/records/queue.ts'
import type { Records } from '../../src/records/records.ts'
import { openPostgres } from '../../src/records/sql/postgres/open.ts'
import { postgresDialect } from '../../src/records/sql/postgres/dialect.ts'
import { postgresEngine } from '../../src/records/sql/postgres/engine.ts'
import { MIGRATIONS } from '../../src/records/sql/migrations.ts'
import { pgServer } from '../../src/records/sql/postgres/pg-server.ts'
import { NO_QUOTAS } from '../../src/records/quotas.ts'
import type { PostgresServer } from '../../src/records/sql/postgres/server.ts'
import type { Tables } from '../../src/records/sql/tables.ts'
import { errorCode } from '../support/codes.ts'
import { IDLE_TRANSACTION_MS, LEASE_MS } from '../support/postgres-leases.ts'
import { hasPostgres, startPostgres, withClient, type RunningPostgres } from '../support/postgres-server.ts'
import { until } from '../support/until.ts'
import { wrapStatements } from '../support/wrap-statements.ts'
import { startWorker, type WorkerProcess } from '../support/worker-processes.ts'
import { PARSED } from '../conformance/records/fixtures.ts'

const gate = () => Promise.withResolvers<void>()

/** Calls `before` before each statement. */
async function slowServer(url: string, before: (statement: string) => Promise<void>): Promise<PostgresServer> {
  const server = await pgServer({ url, log: silentLogger })
  return {
    ...server,
    async connect(options) {
      const client = await server.connect(options)
      const query: typeof client.query = async (statement, parameters) => {
        await before(statement)
        return client.query(statement, parameters)
      }
      return { ...client, query }
    },
  }
}

describe.skipIf(!hasPostgres)('processes that share a PostgreSQL server', () => {
  let postgres: RunningPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  const open = async (url: string, options: Partial<Parameters<typeof openPostgres>[0]> = {}): Promise<Records> => {
    const server = await pgServer({ url, log: silentLogger, idleTransactionMs: IDLE_TRANSACTION_MS })
    const { records } = await openPostgres({ server, clock: systemClock, log: silentLogger, leaseMs: LEASE_MS, ...options })
    onTestFinished(() => records.close())
    return records
  }

  /** Adds projects of several users with documents in them. */
  async function fill(records: Records, { owners, each }: { owners: number; each: number }) {
    const projects: { id: string; ownerId: string }[] = []
    for (let i = 0; i < owners; i++) {
      const { id: ownerId } = await records.users.create({ name: `${i}`, email: null, role: i === 0 ? 'owner' : 'member' })
      projects.push(await records.projects.create({ ownerId, name: 'P', description: '' }))
    }
    const upload = async ({ id: projectId, ownerId: uploaderId }: { id: string; ownerId: string }, path: string) => {
      const bytes = { mediaType: 'text/plain', sizeBytes: 1, sha256: 'a'.repeat(64), tags: null }
      const { document } = await records.documents.register({ uploaderId, projectId, name: path, path, ...bytes }, 'error')
      return document.id
    }
    const ids: string[] = []
    for (const project of projects)
      ids.push(...(await Promise.all(Array.from({ length: each }, (_, i) => upload(project, `${i}.txt`)))))
    return { ids, projects: new Set(projects.map(({ id }) => id)) }
  }

  const worker = async (url: string, mode: 'work' | 'hold'): Promise<WorkerProcess> => {
    const process = await startWorker(url, mode)
    onTestFinished(() => process.signal('SIGKILL'))
    return process
  }

  /** Checks that each document became ready once, and that the counts are right. */
  async function expectAllReadyOnce(records: Records, { ids, projects }: { ids: string[]; projects: Set<string> }) {
    const events = await records.events.since(projects, 0, 100_000)
    const readyIds = events.filter(({ type }) => type === 'document.ready').map(({ documentId }) => documentId)
    expect(readyIds.toSorted()).toEqual(ids.toSorted())
    expect(await records.queue.counts()).toEqual({ queued: 0, processing: 0, ready: ids.length, failed: 0 })
    const words = await records.vocabulary.entries(projects, ['rent'])
    expect(words).toEqual([{ word: 'rent', term: 'rent', documents: ids.length }])
    const { documents, bytes } = await records.users.totals()
    expect({ documents, bytes }).toEqual({ documents: ids.length, bytes: ids.length })
    return events
  }

  test('each document is claimed once and finished once', async () => {
    const url = await postgres.database()
    const records = await open(url)
    const filled = await fill(records, { owners: 3, each: 30 })
    const workers = await Promise.all([1, 2, 3].map(() => worker(url, 'work')))
    await until('all documents are ready', async () => (await records.queue.counts()).ready === filled.ids.length)
    await Promise.all(workers.map((one) => one.end()))
    for (const word of ['claimed', 'finished'] as const)
      expect(workers.flatMap((one) => one.documents(word)).toSorted()).toEqual(filled.ids.toSorted())
    await expectAllReadyOnce(records, filled)
  })

  test('other processes continue with the documents of a killed or frozen process, whose later work has no effect', async () => {
    const url = await postgres.database()
    const records = await open(url)
    const filled = await fill(records, { owners: 2, each: 20 })
    const [killed, frozen] = [await worker(url, 'hold'), await worker(url, 'hold')]
    await until('both have a document', () => killed.lines.length === 2 && frozen.lines.length === 2)
    killed.signal('SIGKILL')
    frozen.signal('SIGSTOP')
    const workers = await Promise.all([1, 2, 3].map(() => worker(url, 'work')))
    const [first, second] = workers as [WorkerProcess, WorkerProcess]
    // At any moment, even within a transaction.
    await until('both work', () => first.documents('finished').length > 2 && second.documents('finished').length > 2)
    first.signal('SIGKILL')
    second.signal('SIGSTOP')
    await until('all documents are ready', async () => (await records.queue.counts()).ready === filled.ids.length)
    for (const process of [frozen, second]) process.signal('SIGCONT')
    await frozen.end()
    expect(frozen.documents('unwanted')).toEqual(frozen.documents('claimed'))
    await Promise.all(workers.slice(1).map((one) => one.end()))
    await expectAllReadyOnce(records, filled)
  })

  test('a process that wakes up cannot finish a document that another one works on', async () => {
    const url = await postgres.database()
    const records = await open(url)
    const { ids } = await fill(records, { owners: 1, each: 1 })
    const frozen = await worker(url, 'hold')
    await until('it has the document', () => frozen.documents('claimed').length === 1)
    frozen.signal('SIGSTOP')
    await until('its lease expires', async () => (await records.queue.recover()) === 1)
    const other = await worker(url, 'hold')
    await until('the other one has the document', () => other.documents('claimed').length === 1)
    frozen.signal('SIGCONT')
    await frozen.end()
    expect(frozen.documents('unwanted')).toEqual(ids)
    expect(await records.queue.counts()).toMatchObject({ processing: 1 })
    await other.end()
    expect(other.documents('finished')).toEqual(ids)
  })

  /** Takes the documents from a process that has a lease, until it notices. */
  async function endLease(url: string, records: Records): Promise<void> {
    const other = await open(url)
    await withClient(url, (client) => client.query(`update workers set lease_until = '-infinity'`))
    expect(await other.queue.recover()).toBe(1)
    await expect(records.queue.claim(1)).rejects.toMatchObject({ code: errorCode('database_busy') })
  }

  test('a late answer about the former lease of a process does not end its next lease', async () => {
    const url = await postgres.database()
    const [isRenewing, mayRenew, isRenewed] = [gate(), gate(), gate()]
    const server = await slowServer(url, async (statement) => {
      // What the process does after each renewal.
      if (statement.startsWith('select 1 from workers')) isRenewed.resolve()
      if (!statement.startsWith('update workers set lease_until = clock')) return
      isRenewing.resolve()
      await mayRenew.promise
    })
    const records = await open(url, { server })
    await fill(records, { owners: 1, each: 2 })
    await records.queue.claim(1)
    await isRenewing.promise
    await endLease(url, records)
    const [job] = await records.queue.claim(1)
    mayRenew.resolve()
    await isRenewed.promise
    // With the same lease.
    await records.queue.claim(1)
    expect(await records.queue.savePages(job!, PARSED)).not.toBeNull()
  })

  test('a process that takes long to begin its next lease keeps it', async () => {
    const url = await postgres.database()
    const [isBeginning, mayBegin] = [gate(), gate()]
    let begun = 0
    const server = await slowServer(url, async (statement) => {
      // Otherwise, a renewal could notice the end of the former lease first.
      if (statement.startsWith('update workers set lease_until = clock')) await isBeginning.promise
      if (!statement.startsWith('insert into workers') || ++begun !== 2) return
      isBeginning.resolve()
      await mayBegin.promise
    })
    const records = await open(url, { server })
    await fill(records, { owners: 1, each: 2 })
    await records.queue.claim(1)
    await endLease(url, records)
    const claiming = records.queue.claim(1)
    await isBeginning.promise
    const end = performance.now() + LEASE_MS
    await until('a renewal is due', () => performance.now() > end)
    mayBegin.resolve()
    const [job] = await claiming
    // With the same lease.
    await records.queue.claim(1)
    expect(await records.queue.savePages(job!, PARSED)).not.toBeNull()
  })

  /** Checks that the work of a job has no effect, even if the process has claimed the document again. */
  async function expectUnwanted({ queue }: Records, job: QueuedDocument): Promise<void> {
    const [again] = await queue.claim(1)
    expect(again).toMatchObject({ documentId: job.documentId, version: job.version })
    const finished = { chunkCount: 2, chunksSkipped: 0, embeddingModel: 'builtin', warnings: [] }
    expect(await queue.savePages(job, PARSED)).toBeNull()
    expect(await queue.beginIndexing([{ ...job, passages: 2 }])).toEqual({ wanted: [], refused: [] })
    expect(await queue.finish([{ job, ...finished }])).toEqual([job])
    await queue.fail(job, { code: errorCode('corrupt'), message: 'broken' })
    await queue.release(job, { countAttempt: true })
    expect(await queue.counts()).toMatchObject({ processing: 1 })
    expect(await queue.savePages(again!, PARSED)).not.toBeNull()
    expect((await queue.beginIndexing([{ ...again!, passages: 2 }])).wanted).toHaveLength(1)
    expect(await queue.finish([{ job: again!, ...finished }])).toEqual([])
  }

  test('after a process has lost its lease, work that it began before is not wanted', async () => {
    const url = await postgres.database()
    const records = await open(url)
    await fill(records, { owners: 1, each: 1 })
    const [job] = await records.queue.claim(1)
    await endLease(url, records)
    await expectUnwanted(records, job!)
  })

  test('after a worker could not end in time, its work is not wanted, even if the next worker runs in the same process', async () => {
    const url = await postgres.database()
    const records = await open(url)
    await fill(records, { owners: 1, each: 1 })
    const [job] = await records.queue.claim(1)
    // What the next worker does first.
    expect(await records.queue.requeueLost([])).toBe(1)
    await expectUnwanted(records, job!)
  })

  test('a claim whose answer got lost is queued again, and the claims of other processes stay', async () => {
    const url = await postgres.database()
    const [records, other] = [await open(url), await open(url)]
    const { ids } = await fill(records, { owners: 1, each: 4 })
    const claimed = await records.queue.claim(2)
    const [others] = await other.queue.claim(1)
    // As if the answer to another claim had got lost.
    const [lost] = await records.queue.claim(1)
    expect(await records.queue.requeueLost(claimed.map(({ documentId }) => documentId))).toBe(1)
    expect((await records.queue.claim(5)).map(({ documentId }) => documentId)).toEqual([lost!.documentId])
    expect(new Set([...claimed, others!, lost!].map(({ documentId }) => documentId))).toEqual(new Set(ids))
  })

  test('a listener receives every event once and in order, even when its connection breaks', async () => {
    const url = await postgres.database()
    const [listener, ...writers] = [await open(url), await open(url), await open(url), await open(url)]
    const { projects } = await fill(writers[0], { owners: 3, each: 0 })
    const heard: number[] = []
    let reading = Promise.resolve()
    const read = async () => {
      const events = await listener.events.since(projects, heard.at(-1) ?? 0, 1000)
      heard.push(...events.map(({ id }) => id))
    }
    listener.events.subscribe(() => void (reading = reading.then(read)))
    const uploads = writers.map(async (records, writer) => {
      for (let i = 0; i < 30; i++) {
        const projectId = [...projects][i % projects.size]!
        const { ownerId: uploaderId } = (await records.projects.get(projectId))!
        const name = `${writer}-${i}`
        const bytes = { mediaType: 'text/plain', sizeBytes: 1, sha256: 'a'.repeat(64), tags: null }
        await records.documents.register({ uploaderId, projectId, name, path: name, ...bytes }, 'error')
        if (i === 10 && writer === 0)
          await withClient(url, (client) =>
            client.query(
              `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()`,
            ),
          )
      }
    })
    await Promise.all(uploads)
    await until('the listener has heard everything', () => heard.length >= 90)
    await reading
    const stored = await writers[0].events.since(projects, 0, 1000)
    expect(heard).toEqual(stored.map(({ id }) => id))
    expect(heard).toHaveLength(90)
  })

  test('simultaneous uploads to one path by two processes become one document', async () => {
    const url = await postgres.database()
    const [one, other] = [await open(url), await open(url)]
    const { projects } = await fill(one, { owners: 1, each: 0 })
    const [projectId] = [...projects] as [string]
    const { ownerId: uploaderId } = (await one.projects.get(projectId))!
    const upload = (records: Records, sha256: string) =>
      records.documents.register(
        {
          uploaderId,
          projectId,
          name: 'a',
          path: 'a',
          mediaType: 'text/plain',
          sizeBytes: 1,
          sha256: sha256.repeat(64),
          tags: null,
        },
        'replace',
      )
    const outcomes = await Promise.all(['a', 'b', 'a', 'b'].map((hash, i) => upload(i % 2 === 0 ? one : other, hash)))
    expect(outcomes.filter(({ outcome }) => outcome === 'created')).toHaveLength(1)
    expect(new Set(outcomes.map(({ document }) => document.id)).size).toBe(1)
    expect(await one.projects.get(projectId)).toMatchObject({ counts: { documents: 1 } })
  })

  test('an original counts as used while another process restores its document from the trash', async () => {
    const url = await postgres.database()
    const records = await open(url)
    const { ids, projects } = await fill(records, { owners: 1, each: 1 })
    await records.documents.delete(projects, ids[0]!, { isKept: true })
    const server = await pgServer({ url, log: silentLogger })
    let isFirst = true
    const afterFirst = async () => {
      if (isFirst) await records.trash.restore(projects, ids[0]!)
      isFirst = false
    }
    const slow = wrapStatements(server, async (statement, run) => {
      const answer = await run()
      if (statement.includes('sha256')) await afterFirst()
      return answer
    })
    const sweeper = await open(url, { server: slow })
    expect(await sweeper.documents.isBlobReferenced('a'.repeat(64))).toBe(true)
    expect(await records.documents.get(projects, ids[0]!)).not.toBeNull()
  })

  test('messages that two processes read at the same time do not exceed the quota of their owner', async () => {
    const url = await postgres.database()
    const records = await open(url)
    const { projects } = await fill(records, { owners: 1, each: 2 })
    const server = await pgServer({ url, log: silentLogger })
    const isBlocked = () =>
      withClient(url, async (client) => {
        const query = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return (await client.query(query)).rowCount! > 0
      })
    let other: Promise<unknown> | undefined
    const slow = wrapStatements(server, async (statement, run) => {
      const answer = await run()
      if (statement.includes('"usage"') && other === undefined) {
        let isDone = false
        other = readMessage(records).finally(() => (isDone = true))
        await until('the other process waits or is done', async () => isDone || (await isBlocked()))
      }
      return answer
    })
    const quotas = { ...NO_QUOTAS, documents: 3 }
    const attachment = { name: 'a', page: 1, mediaType: 'text/plain', sizeBytes: 1, sha256: 'b'.repeat(64) }
    const readMessage = async ({ queue }: Records) => {
      const [job] = await queue.claim(1)
      await queue.savePages(job!, { ...PARSED, attachments: [attachment] }, quotas)
    }
    await readMessage(await open(url, { server: slow }))
    await other
    const { items } = await records.documents.list(projects, { limit: 10 })
    expect(items).toHaveLength(quotas.documents)
  })

  test('one of two transactions that block each other is repeated', async () => {
    const url = await postgres.database()
    await open(url)
    const db = new Kysely<Tables>({ dialect: postgresDialect(await pgServer({ url, log: silentLogger })) })
    onTestFinished(() => db.destroy())
    const engine = postgresEngine(
      db,
      { id: '', ensureLease: async () => {}, loseLease() {}, endLease: async () => {} },
      { committed() {}, listenerAdded() {} },
    )
    const set = (tx: Kysely<Tables>, name: string, value: string) =>
      tx
        .insertInto('settings')
        .values({ name, value })
        .onConflict((c) => c.column('name').doUpdateSet({ value }))
        .execute()
    let attempts = 0
    const both = Promise.withResolvers<void>()
    const change = (value: string, names: [string, string]) =>
      engine.transaction({ isStep: false, isShared: true }, async (tx) => {
        await set(tx, names[0], value)
        if (++attempts === 2) both.resolve()
        await both.promise
        await set(tx, names[1], value)
      })
    await Promise.all([change('1', ['x', 'y']), change('2', ['y', 'x'])])
    expect(attempts).toBe(3)
    const rows = await db.selectFrom('settings').select('value').where('name', 'in', ['x', 'y']).execute()
    expect(rows[0]).toEqual(rows[1])
  })

  test('one of several processes that start at once creates the tables', async () => {
    const url = await postgres.database()
    const all = await Promise.all(Array.from({ length: 5 }, () => open(url)))
    for (const records of all) expect(await records.check()).toMatchObject({ ok: true })
  })

  test('one of several processes of a later version upgrades the tables, and then an earlier version refuses them', async () => {
    const url = await postgres.database()
    const filled = await fill(await open(url), { owners: 1, each: 2 })
    const steps: string[] = []
    const upgrade = async (db: Kysely<never>) => {
      steps.push('upgrade')
      await sql`alter table documents add column later text`.execute(db)
    }
    const migrations = { ...MIGRATIONS, '9999_later': { up: upgrade } }
    const lines: string[] = []
    const later = await Promise.all(
      [1, 2, 3].map(() => open(url, { migrations, upgrade: { version: '9.9.9', notify: (line) => void lines.push(line) } })),
    )
    expect(steps).toEqual(['upgrade'])
    expect(lines).toContain('upgrading the database from an earlier version to 9.9.9')
    for (const records of later) expect(await records.documents.get(filled.projects, filled.ids[0]!)).not.toBeNull()
    await expect(open(url, { upgrade: { version: '1.0.0', notify: () => {} } })).rejects.toMatchObject({
      code: errorCode('data_newer'),
      message: expect.stringContaining('docsearch 9.9.9, a newer version, has written to this database'),
    })
  })

  test('a server that restarts loses nothing, and the records work again by themselves', async () => {
    const url = await postgres.database()
    const [records, listener] = [await open(url), await open(url)]
    const filled = await fill(records, { owners: 1, each: 3 })
    await postgres.kill()
    await expect(records.queue.counts()).rejects.toMatchObject({ code: errorCode('database_busy') })
    expect(await records.check()).toMatchObject({ ok: false })
    await postgres.start()
    await until('the records work again', async () => (await records.check()).ok)
    expect(await records.queue.counts()).toMatchObject({ queued: 3 })
    const heard = new Promise<void>((resolve) => listener.events.subscribe(() => resolve()))
    expect(await records.documents.delete(filled.projects, filled.ids[0]!)).toBe(true)
    await heard
  })

  test('a write that waits while a move of the records begins changes nothing', async () => {
    const url = await postgres.database()
    const records = await open(url)
    const { id: ownerId } = await records.users.create({ name: 'Ann', email: null, role: 'owner' })
    const move = JSON.stringify({ state: 'leaving', place: '/new' })
    await withClient(url, async (client) => {
      await client.query('begin')
      // The lock of all writes.
      await client.query('select pg_advisory_xact_lock($1, 1)', [0x646f6373])
      const write = records.projects.create({ ownerId, name: 'p', description: '' }).catch((error: unknown) => error)
      const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`
      await until('the write waits', async () => (await client.query(waiting)).rowCount === 1)
      await client.query(`insert into settings values ('move', $1)`, [move])
      await client.query('commit')
      expect(await write).toMatchObject({ code: errorCode('unavailable') })
    })
    expect((await records.members.visibleTo(ownerId)).projects).toEqual([])
  })
})
