import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { silentLogger } from '../../src/core/logger.ts'
import type { QueuedDocument } from '../../src/records/queue.ts'
import type { Records } from '../../src/records/records.ts'
import type { HeldLease, Lease } from '../../src/records/shared.ts'
import { openPostgres, type Postgres } from '../../src/records/sql/postgres/open.ts'
import { pgServer } from '../../src/records/sql/postgres/pg-server.ts'
import type { PostgresServer } from '../../src/records/sql/postgres/server.ts'
import { leasesOf } from '../../src/serve/shared-stores.ts'
import { errorCode } from '../support/codes.ts'
import { LEASE_MS } from '../support/postgres-leases.ts'
import { hasPostgres, startPostgres, withClient, type RunningPostgres } from '../support/postgres-server.ts'
import { until } from '../support/until.ts'
import { wrapStatements } from '../support/wrap-statements.ts'
import { HEALTH } from '../conformance/records/fixtures.ts'

describe.skipIf(!hasPostgres)('processes of one instance', () => {
  let postgres: RunningPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  const serverOf = (url: string) => pgServer({ url, log: silentLogger })
  const open = async (url: string, server?: PostgresServer): Promise<Postgres> => {
    const opened = await openPostgres({
      server: server ?? (await serverOf(url)),
      clock: systemClock,
      log: silentLogger,
      leaseMs: LEASE_MS,
    })
    onTestFinished(() => opened.records.close())
    return opened
  }
  const openTwo = async () => {
    const url = await postgres.database()
    return [await open(url), await open(url), url] as const
  }
  const neverLost = () => expect.unreachable('the lease was lost')
  const take = async (lease: Lease, onLost: () => void = neverLost): Promise<HeldLease> => {
    const held = await lease.tryTake(onLost)
    if (held === null) expect.unreachable('another process has the lease')
    return held
  }
  const expireLease = (url: string) => withClient(url, (client) => client.query(`update leases set expires_at = '-infinity'`))
  const INDEX = { fingerprint: 'f', embeddingModel: 'builtin', dimensions: 4 }

  test('one process has the lease, and its fence grows with each process that takes it', async () => {
    const [first, second] = await openTwo()
    const [one, other] = [first.coordination.writer, second.coordination.writer]
    const taken = await Promise.all([one, other].map((lease) => lease.tryTake(neverLost)))
    const [held, ...more] = taken.filter((lease) => lease !== null)
    expect(more).toEqual([])
    const [holder, waiting] = taken[0] === held ? [one, other] : [other, one]
    expect([held!.isHeld(), await waiting.isTaken()]).toEqual([true, true])
    const fences = [await held!.nextFence(), await held!.nextFence()]
    await holder.release()
    expect([held!.isHeld(), await waiting.isTaken()]).toEqual([false, false])
    await expect(held!.nextFence()).rejects.toMatchObject({ code: errorCode('writer_replaced') })
    fences.push(await (await take(waiting)).nextFence())
    expect(fences).toEqual(fences.toSorted((a, b) => a - b))
    expect(new Set(fences).size).toBe(3)
  })

  test('every process reads the report of the process with the lease', async () => {
    const [one, other, url] = await openTwo()
    const report = (wait: string | null) => ({ documentsWaitFor: wait, buildWaitsFor: null, embedder: null, building: null })
    expect(await other.coordination.reports.read()).toBeNull()
    const held = await take(one.coordination.writer)
    await one.coordination.reports.write(report('the model is gone'), held)
    expect(await other.coordination.reports.read()).toEqual(report('the model is gone'))
    await withClient(url, (client) => client.query(`update settings set value = '{"form":"of another version"}'`))
    expect(await other.coordination.reports.read()).toBeNull()
    await one.coordination.reports.write(report('another'), held)
    expect(await other.coordination.reports.read()).toEqual(report('another'))
  })

  test('nobody reads the report of a process that no longer has the lease', async () => {
    const [one, other, url] = await openTwo()
    const report = { documentsWaitFor: 'the model is gone', buildWaitsFor: null, embedder: null, building: null }
    await one.coordination.reports.write(report, await take(one.coordination.writer, () => {}))
    await expireLease(url)
    expect(await other.coordination.reports.read()).toBeNull()
    // The next process may take minutes before its first report, or be of a version that writes none.
    const next = await take(other.coordination.writer)
    expect(await other.coordination.reports.read()).toBeNull()
    await other.coordination.reports.write({ ...report, documentsWaitFor: null }, next)
    expect(await one.coordination.reports.read()).toEqual({ ...report, documentsWaitFor: null })
  })

  test('a process learns that it has lost its lease, and another one can take it', async () => {
    const [one, other, url] = await openTwo()
    const lost = Promise.withResolvers<void>()
    const held = await take(one.coordination.writer, lost.resolve)
    // As if the process had been frozen for longer than the lease.
    await expireLease(url)
    const next = await take(other.coordination.writer)
    await lost.promise
    expect([held.isHeld(), next.isHeld()]).toEqual([false, true])
    expect(await one.coordination.writer.tryTake(neverLost)).toBeNull()
  })

  test('a process that lost its lease to another one can change neither the list of indexes nor the whole queue, even before it notices', async () => {
    const [one, other, url] = await openTwo()
    const { indexes, queue } = one.writerRecords(await take(one.coordination.writer, () => {}))
    const { id } = await indexes.activate(INDEX)
    await expireLease(url)
    await take(other.coordination.writer)
    for (const change of changesBy({ indexes, queue }, id))
      await expect(change()).rejects.toMatchObject({ code: errorCode('writer_replaced') })
    expect(await other.records.indexes.all()).toMatchObject([{ id, fingerprint: 'f', state: 'active' }])
  })

  test('work that a process began under an earlier lease changes nothing after the process has taken the lease again', async () => {
    const [one, , url] = await openTwo()
    const { coordination, writerRecords } = one
    const earlier = await take(coordination.writer, () => {})
    const records = writerRecords(earlier)
    const { id } = await records.indexes.activate(INDEX)
    await expireLease(url)
    await until('the process notices', () => !earlier.isHeld())
    const held = await take(coordination.writer)
    for (const change of changesBy(records, id))
      await expect(change()).rejects.toMatchObject({ code: errorCode('writer_replaced') })
    expect([earlier.isHeld(), await earlier.isStillHeld()]).toEqual([false, false])
    await expect(leasesOf(earlier).current(id)).rejects.toMatchObject({ code: errorCode('writer_replaced') })
    const report = (reason: string) => ({ documentsWaitFor: reason, buildWaitsFor: null, embedder: null, building: null })
    await coordination.reports.write(report('now'), held)
    await coordination.reports.write(report('earlier'), earlier)
    expect(await coordination.reports.read()).toEqual(report('now'))
    await writerRecords(held).indexes.forget(id, ['doc_1'])
    expect(await leasesOf(held).current(id)).toEqual({ fence: expect.any(Number) })
  })

  function changesBy({ indexes, queue }: Pick<Records, 'indexes' | 'queue'>, id: string): (() => Promise<unknown>)[] {
    return [
      () => indexes.activate(INDEX),
      () => indexes.build(INDEX),
      () => indexes.resume(id),
      () => indexes.drop(id),
      () => indexes.switchTo(id, { waitForReplaced: false, parserVersion: 1 }),
      () => indexes.adopt(id, { fingerprint: 'g', parserVersion: 1 }),
      () => indexes.record(id, []),
      () => indexes.forget(id, ['doc_1']),
      () => indexes.setMeasurements(id, { canaries: [], unrelatedSimilarity: null }),
      () => queue.requeueAll(),
      () => queue.requeueMany(['doc_1']),
      () => queue.clearTombstones(['doc_1']),
    ]
  }

  test('a process that lost its lease to another one learns this from the database, and does not replace the report', async () => {
    const [one, other, url] = await openTwo()
    const report = (reason: string) => ({ documentsWaitFor: reason, buildWaitsFor: null, embedder: null, building: null })
    const held = await take(one.coordination.writer, () => {})
    await one.coordination.reports.write(report('first'), held)
    expect([held.isHeld(), await held.isStillHeld()]).toEqual([true, true])
    expect(await other.coordination.reports.read()).toEqual(report('first'))
    await expireLease(url)
    // Nobody continues the work that the report is about.
    expect(await other.coordination.reports.read()).toBeNull()
    await other.coordination.reports.write(report('second'), await take(other.coordination.writer))
    expect(await held.isStillHeld()).toBe(false)
    await one.coordination.reports.write(report('first'), held)
    expect(await one.coordination.reports.read()).toEqual(report('second'))
  })

  test('no process takes the lease in the middle of a change by its former holder', async () => {
    const [one, other, url] = await openTwo()
    const { indexes } = one.writerRecords(await take(one.coordination.writer, () => {}))
    const { id } = await indexes.activate(INDEX)
    await withClient(url, async (client) => {
      await client.query('begin')
      await client.query('select 1 from generations for update')
      const waiting = (event: string) =>
        until(`a process waits for ${event}`, async () => {
          const query = `select 1 from pg_stat_activity where datname = current_database() and wait_event = '${event}'`
          // Not in the transaction above, because a transaction always sees the same statistics.
          return (await withClient(url, (observer) => observer.query(query))).rowCount! > 0
        })
      const dropping = indexes.drop(id)
      await waiting('transactionid')
      await expireLease(url)
      const taking = take(other.coordination.writer)
      await waiting('advisory')
      await client.query('rollback')
      await dropping
      await taking
    })
    expect(await other.records.indexes.all()).toEqual([])
  })

  test('a process that waits before it takes the lease has it for the full time', async () => {
    const [one, , url] = await openTwo()
    const held = await withClient(url, async (client) => {
      await client.query('begin')
      await client.query('select pg_advisory_xact_lock(1685021555, 1)')
      const taking = take(one.coordination.writer)
      const end = performance.now() + LEASE_MS
      await until('a lease would have expired', async () => performance.now() > end)
      await client.query('rollback')
      return taking
    })
    expect(held.isHeld()).toBe(true)
  })

  test('a late answer about the former lease of a process does not end its next lease', async () => {
    const url = await postgres.database()
    const server = await serverOf(url)
    const [isRenewing, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = wrapStatements(server, async (statement, run) => {
      const isRenewal = statement.startsWith('update leases set expires_at = clock')
      if (isRenewal) {
        isRenewing.resolve()
        await mayAnswer.promise
      }
      return run()
    })
    const { writer } = (await open(url, slow)).coordination
    const onLost = vi.fn()
    await writer.tryTake(onLost)
    await isRenewing.promise
    await writer.release()
    const held = await take(writer, onLost)
    mayAnswer.resolve()
    // From now on, the lease is renewed.
    const end = performance.now() + 1.5 * LEASE_MS
    await until('the lease would have expired', async () => performance.now() > end)
    expect([onLost.mock.calls.length, held.isHeld()]).toEqual([0, true])
  })

  test('a lease lasts as long as its process renews it', async () => {
    const [one, other] = await openTwo()
    const held = await take(one.coordination.writer)
    const end = performance.now() + 1.5 * LEASE_MS
    await until('the lease would have expired without a renewal', async () => {
      expect(await other.coordination.writer.tryTake(neverLost)).toBeNull()
      return performance.now() > end
    })
    expect(held.isHeld()).toBe(true)
  })

  async function upload({ records }: Postgres, names: readonly string[], user = 'Ann'): Promise<void> {
    const { id: ownerId } = await records.users.create({ name: user, email: null, role: user === 'Ann' ? 'owner' : 'member' })
    const { id: projectId } = await records.projects.create({ ownerId, name: 'P', description: '' })
    for (const name of names) {
      const bytes = { mediaType: 'text/plain', sizeBytes: 1, sha256: 'a'.repeat(64), tags: null }
      await records.documents.register({ uploaderId: ownerId, projectId, name, path: name, ...bytes }, 'error')
    }
  }

  const PARSED = {
    pages: [{ number: 1, text: 'rent', blocks: [] }],
    title: 'Lease',
    pageCount: 1,
    warnings: [],
    health: HEALTH,
    facts: {},
  }
  const claimUnread = ({ coordination }: Postgres, limit: number) =>
    coordination.queue.claimUnread(limit, { exceptTypes: ['text/markdown'] })

  const namesOf = (jobs: readonly QueuedDocument[]) => jobs.map(({ document }) => document.name)

  test('one process reads a document, and another one takes it over and finishes it', async () => {
    const [reader, writer] = await openTwo()
    await upload(reader, ['a', 'b'])
    const jobs = await claimUnread(reader, 5)
    expect(namesOf(jobs)).toEqual(['a', 'b'])
    let rings = 0
    const stop = await writer.coordination.queue.onHandedOver(() => (rings += 1))
    onTestFinished(stop)
    // The first call is for documents that were handed over before.
    expect(rings).toBe(1)
    expect(await reader.coordination.queue.handOver(jobs[0]!, PARSED)).toEqual({ title: 'Lease', tags: [] })
    await until('the writer hears of it', () => rings > 1)
    // As if the answer had been lost.
    expect(await reader.coordination.queue.handOver(jobs[0]!, PARSED)).toBeNull()
    expect(await writer.records.queue.recover()).toBe(0)
    const [taken, ...others] = await writer.coordination.queue.takeOver(5)
    expect([taken!.document.name, taken!.hasPages, others]).toEqual(['a', true, []])
    expect(await reader.coordination.queue.takeOver(5)).toEqual([])
    // The document is no longer the reader's.
    const finished = { job: taken!, chunkCount: 1, chunksSkipped: 0, embeddingModel: 'builtin', warnings: [] }
    expect(await reader.records.queue.finish([{ ...finished, job: jobs[0]! }])).toHaveLength(1)
    expect(await writer.records.queue.beginIndexing([{ ...taken!, passages: 1 }])).toMatchObject({ refused: [] })
    expect(await writer.records.queue.finish([finished])).toEqual([])
    expect(await writer.records.queue.counts()).toMatchObject({ ready: 1, processing: 1 })
  })

  test('a document whose pages are stored is only for the process that writes the index', async () => {
    const [reader, writer] = await openTwo()
    await upload(reader, ['a'])
    const [job] = await claimUnread(reader, 1)
    await reader.records.queue.savePages(job!, PARSED)
    await reader.records.queue.release(job!, { countAttempt: false })
    expect(await claimUnread(reader, 1)).toEqual([])
    expect(namesOf(await writer.records.queue.claim(1))).toEqual(['a'])
  })

  test('a document that was handed over and deleted or replaced is not taken over', async () => {
    const [reader, writer] = await openTwo()
    await upload(reader, ['a'])
    const [job] = await claimUnread(reader, 1)
    await reader.coordination.queue.handOver(job!, PARSED)
    const { projectId, id } = job!.document
    await reader.records.documents.requeue(new Set([projectId]), id)
    expect(await writer.coordination.queue.takeOver(1)).toEqual([])
    expect(namesOf(await claimUnread(reader, 1))).toEqual(['a'])
  })

  test('a process that only reads leaves some formats out, and looks no further than the first documents', async () => {
    const [reader, , url] = await openTwo()
    await upload(reader, ['first', 'second', 'third'])
    await withClient(url, (client) => client.query(`update documents set media_type = 'text/markdown' where name <> 'third'`))
    expect(namesOf(await claimUnread(reader, 5))).toEqual(['third'])
    expect(await claimUnread(reader, 5)).toEqual([])
    expect(namesOf(await reader.records.queue.claim(5))).toEqual(['first', 'second'])
    await upload(reader, ['far'], 'Ben')
    await withClient(url, (client) =>
      client.query(`insert into documents select (jsonb_populate_record(documents, jsonb_build_object(
          'id', 'doc_ahead' || n, 'path', 'ahead' || n, 'name', 'ahead' || n, 'media_type', 'text/markdown', 'queued_at', 0))).*
        from documents, generate_series(1, 500) as n where name = 'far'`),
    )
    expect(await claimUnread(reader, 5)).toEqual([])
    expect(await reader.records.queue.claim(1)).toHaveLength(1)
    expect(namesOf(await claimUnread(reader, 5))).toEqual(['far'])
  })

  test('all processes have the same secret', async () => {
    const all = await openTwo().then(([one, other]) => [one, other])
    const secrets = await Promise.all(all.map(({ coordination }) => coordination.secret('webhooks')))
    expect(secrets[0]).toBe(secrets[1])
    expect(Buffer.from(secrets[0]!, 'base64')).toHaveLength(32)
  })

  test('a text for a session is read once, by any process', async () => {
    const [one, other] = await openTwo()
    const { id: userId } = await one.records.users.create({ name: 'Ann', email: null, role: 'owner' })
    const expiresAt = new Date(Date.now() + 60_000)
    const from = { userAgent: '', address: '127.0.0.1', expiresAt }
    const session = await one.records.sessions.create({ userId, sha256: 'a'.repeat(64), ...from })
    const keep = (id: string, ms = 60_000) =>
      one.coordination.shownOnce.put({ id, sessionId: session.id, text: 'sealed', next: '/settings', ms })
    await keep('a')
    await keep('b', -1)
    const { shownOnce } = other.coordination
    expect(await shownOnce.take('a', 'ses_other')).toBeNull()
    const taken = await Promise.all([1, 2].map(() => shownOnce.take('a', session.id)))
    expect(taken.map((kept) => kept?.text).filter(Boolean)).toEqual(['sealed'])
    expect(await shownOnce.take('a', session.id)).toEqual({ text: null, next: '/settings' })
    expect(await shownOnce.take('b', session.id)).toBeNull()
    for (let i = 0; i < 12; i++) await keep(`c${i}`)
    expect(await shownOnce.take('c0', session.id)).toBeNull()
    expect(await shownOnce.take('c11', session.id)).toMatchObject({ text: 'sealed' })
  })

  test('a process answers the newest request of another process to use a model', async () => {
    const [{ coordination: one }, { coordination: other }] = await openTwo()
    expect(await other.modelRequests.newest()).toBeNull()
    expect(await one.modelRequests.make('ollama:former')).toBe(true)
    const former = (await other.modelRequests.newest())!
    expect(former).toEqual({ id: expect.any(String), embedder: 'ollama:former', answer: null })
    expect(await one.modelRequests.make('ollama:newest')).toBe(true)
    const request = (await other.modelRequests.newest())!
    // The same request again, while it waits for its answer.
    expect(await other.modelRequests.make('ollama:newest')).toBe(false)
    expect(await other.modelRequests.newest()).toEqual(request)
    await other.modelRequests.answer(former, { failure: 'It came too late.' })
    await one.modelRequests.withdraw(former.id)
    expect(await one.modelRequests.newest()).toEqual(request)
    for (const answer of [{ failure: 'It is missing.' }, { state: 'building' as const, notice: null }]) {
      await other.modelRequests.answer(request, answer)
      expect(await one.modelRequests.newest()).toEqual({ ...request, answer })
    }
    expect(await one.modelRequests.make('ollama:newest')).toBe(true)
    const again = (await one.modelRequests.newest())!
    expect(again).toMatchObject({ embedder: 'ollama:newest', answer: null })
    await one.modelRequests.withdraw(again.id)
    expect(await one.modelRequests.newest()).toBeNull()
  })

  test('a process notices what another one has changed', async () => {
    const [one, other] = await openTwo()
    const { versions } = other.coordination
    const before = { models: await versions.of('models'), indexes: await versions.of('indexes') }
    await one.coordination.versions.grow('models')
    expect(await versions.of('models')).toBe(before.models + 1)
    expect(await versions.newestCommit('gen_1')).toBe(0)
    for (const number of [4, 7, 5]) await one.coordination.versions.noteCommit('gen_1', number)
    expect(await versions.newestCommit('gen_1')).toBe(7)
    const index = await one.records.indexes.activate({ fingerprint: 'f', embeddingModel: 'builtin', dimensions: 2 })
    const indexes = await versions.of('indexes')
    expect(indexes).toBeGreaterThan(before.indexes)
    await one.records.indexes.setMeasurements(index.id, { canaries: [], unrelatedSimilarity: null })
    expect(await versions.of('indexes')).toBe(indexes)
  })
})
