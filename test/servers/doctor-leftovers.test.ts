import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test as anyTest } from 'vitest'
import { openObjectBlobs } from '../../src/blobs/objects.ts'
import type { Finding } from '../../src/core/findings.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { examineShared } from '../../src/doctor/examine-shared.ts'
import { openPostgres } from '../../src/records/sql/postgres/open.ts'
import { inspectPostgres, repairPostgres } from '../../src/records/sql/postgres/inspect.ts'
import { BUCKET, startS3rver, startVersitygw, type TestStore, VERSITYGW } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'
import { postgresOfFile } from '../support/postgres-of-file.ts'
import { hasPostgres } from '../support/postgres-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DAY_MS = 86_400_000

const test = anyTest.skipIf(!hasPostgres)
const openServer = postgresOfFile()
let server: TestStore
beforeAll(async () => {
  server = VERSITYGW === null ? await startS3rver({ addsConditions: true }) : await startVersitygw()
})
afterAll(() => server[Symbol.asyncDispose]())

test('objects that nothing needs are found after a day, and --fix deletes those that no later commit can need', async () => {
  const address = `s3://${BUCKET}/${randomBytes(6).toString('hex')}`
  const objects = await openStore(server, {}, address)
  const folder = await tempFolder()
  let now = Date.now()
  const clock = { now: () => new Date(now) }
  const postgres = await openServer()
  const { records } = await openPostgres({ server: postgres, clock, log: silentLogger })
  const owner = await records.users.create({ name: 'Alice', email: 'alice@example.org', role: 'owner' })
  const project = await records.projects.create({ ownerId: owner.id, name: 'new', description: '' })
  const [needed, unneeded] = ['a'.repeat(64), 'b'.repeat(64)]
  const facts = { name: 'a', path: 'a', mediaType: 'text/plain', sizeBytes: 1, tags: [] }
  await records.documents.register({ uploaderId: owner.id, projectId: project.id, ...facts, sha256: needed }, 'replace')
  const index = await records.indexes.activate({ fingerprint: '{}', embeddingModel: 'builtin', dimensions: 8 })
  const [original, file, forgotten] = [
    `blobs/${unneeded}/1`,
    `segments/${index.id}/files/prj_a/left.seg`,
    'segments/gen_forgotten/files/prj_a/left.seg',
  ]
  for (const key of [`blobs/${needed}/1`, original, file, forgotten]) await objects.put(key, Buffer.from(key))

  async function leftovers({ wantsFix }: { wantsFix: boolean }): Promise<Finding[]> {
    const findings: Finding[] = []
    await examineShared(
      {
        inspection: inspectPostgres(postgres),
        objects,
        address,
        blobs: await openObjectBlobs({ store: objects, folder, cacheBytes: 0, storeTime: async () => clock.now() }),
        folder,
        records: async () => records,
        repairs: () => repairPostgres(postgres, clock.now()),
        webhookKey: async () => null,
        instanceId: async () => null,
        now: () => clock.now(),
      },
      {
        settings: { ollamaUrl: 'http://127.0.0.1:9', reranker: 'builtin', publicUrl: null, problems: [] },
        subset: { part: 1, of: 1 },
        wantsFix,
      },
      (event) => event.type === 'finding' && findings.push(event.finding),
    )
    expect(findings.filter(({ code }) => code === 'check_failed')).toEqual([])
    return findings.filter(({ code }) => code.includes('leftover'))
  }

  // Uploads and commits that have not ended may be about to need them.
  expect(await leftovers({ wantsFix: false })).toEqual([])
  now += 2 * DAY_MS
  expect((await leftovers({ wantsFix: false })).map(({ code, place }) => [code, place])).toEqual([
    ['leftover_files', original],
    ['index_leftover', 'gen_forgotten'],
    ['index_leftover', file],
  ])
  const fixed = await leftovers({ wantsFix: true })
  expect(fixed.filter(({ isRepaired }) => isRepaired).map(({ place }) => place)).toEqual([original])
  expect(await objects.find(original)).toBeNull()
  for (const key of [`blobs/${needed}/1`, file]) expect(await objects.find(key), key).not.toBeNull()
  expect((await leftovers({ wantsFix: false })).map(({ place }) => place)).toEqual(['gen_forgotten', file])
  await records.close()
})
