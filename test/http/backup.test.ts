import { existsSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHECK_ONLY } from '../../src/backup/content.ts'
import { FolderTarget } from '../../src/backup/folder-target.ts'
import { originalPath } from '../../src/backup/layout.ts'
import { compareWithManifest, type BackupManifest } from '../../src/backup/manifest.ts'
import { readTar } from '../../src/backup/read-tar.ts'
import type { Health } from '../../src/contract/account.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { Maintenance } from '../../src/ingest/maintenance.ts'
import { startSchedule } from '../../src/serve/scheduled-backups.ts'
import { createWebhookSecrets } from '../../src/webhooks/secrets.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { sha256 } from '../support/make-backup.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'

let app: TestApp
let webhook: { secret: string; sealed: string }
beforeAll(async () => {
  app = await startTestApp({ backupEveryMs: 60_000 })
  await app.alice.ready('one.txt', 'the first document')
  await app.bob.ready('two.txt', 'the second document')
  await app.alice.ready('three.txt', 'in the trash')
  const { body } = await app.alice.get<{ documents: { id: string }[] }>('/api/v1/documents?name=three')
  await app.alice.call('DELETE', `/api/v1/documents/${body.documents[0]!.id}`)
  webhook = await app.backend.webhooks.newSecret('whk_of_a_test')
  await writeFile(join(app.folder, 'config.json'), JSON.stringify({ port: 1, api: { key: 'k' }, at: 'http://u:p@host/x' }))
})
afterAll(() => app?.close())

function request(path = '', body?: string, key = app.alice.key): Promise<Response> {
  return fetch(`${app.url}/api/v1/backup${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, ...(body !== undefined && { 'Content-Type': 'text/plain' }) },
    ...(body !== undefined && { body }),
  })
}

async function read(answer: Response): Promise<{ manifest: BackupManifest; paths: string[]; faults: unknown[] }> {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-tar'])
  const { manifest, seen } = await readTar(Readable.fromWeb(answer.body as never), CHECK_ONLY)
  return { manifest, paths: [...seen.keys()], faults: compareWithManifest(manifest, seen) }
}

const idle = () => until('the backup to end', async () => !(await app.backend.records.backups.isRunning()))

test('a backup has the documents of all users, the trash, and no secret of the settings', async () => {
  const { manifest, paths, faults } = await read(await request('?with_vectors=true'))
  expect(faults).toEqual([])
  expect(manifest).toMatchObject({ documents: 2, trashed: 1, failed: [], index: { embedding_model: 'builtin' } })
  const originals = ['the first document', 'the second document', 'in the trash'].map((text) => originalPath(sha256(text)))
  expect(paths.toSorted()).toEqual(['docsearch.db', 'config.json', 'webhook.key', 'vectors.arrow', ...originals].toSorted())
  await idle()
  const folder = await tempFolder()
  await (await FolderTarget.open(folder)).add(Readable.fromWeb((await request()).body as never), { keep: 1 })
  const [snapshot] = readdirSync(join(folder, 'snapshots'))
  const webhookSecrets = createWebhookSecrets({ file: join(folder, 'snapshots', snapshot!, 'webhook.key') })
  expect(await webhookSecrets.open(webhook.sealed, 'whk_of_a_test')).toBe(webhook.secret)
  const config = await readFile(join(folder, 'snapshots', snapshot!, 'config.json'), 'utf8')
  expect(JSON.parse(config)).toEqual({ port: 1, api: {}, at: 'http://host/x' })
})

test('does not send originals that the receiver already has', async () => {
  await idle()
  const first = sha256('the first document')
  const { manifest, paths } = await read(await request('', `${first}\n${sha256('of nobody')}\n`))
  expect(paths).not.toContain(originalPath(first))
  expect(manifest.originals).toHaveProperty(first, 18)
  expect(Object.keys(manifest.originals)).toHaveLength(3)
  await idle()
  for (const body of ['x', `${first}x`, first.toUpperCase()])
    expect(await (await request('', body)).json()).toMatchObject({ status: 400, code: errorCode('invalid_request') })
  expect(await app.alice.call('POST', '/api/v1/backup', { json: {} })).toMatchObject({ status: 415 })
})

test('only the owner may take a backup, with all scopes', async () => {
  for (const scopes of [['manage:keys'], ['manage:keys', 'read:documents']] as const)
    expect(await (await app.aliceWith(...scopes)).call('POST', '/api/v1/backup')).toMatchObject({
      status: 403,
      body: { code: errorCode('insufficient_scope') },
    })
})

test('one backup runs at a time, and no original is deleted meanwhile', async () => {
  await idle()
  const { backups } = app.backend.records
  const stray = sha256('nobody refers to this')
  const file = join(app.backend.blobs.incoming, 'stray')
  await writeFile(file, 'nobody refers to this')
  const lease = await backups.begin('command_line', new Date(Date.now() + 60_000))
  expect(await app.alice.call('POST', '/api/v1/backup')).toMatchObject({
    status: 409,
    body: { code: errorCode('backup_running') },
  })
  // A store that was opened later, as after a restart, does not know the original as a new one.
  await app.backend.blobs.put(file, stray)
  const blobs = await app.blobsAfterRestart()
  const sweep = async () => {
    const parts = { ...app.backend, blobs, trashDays: 30, reconciler: { forget: async () => {} } }
    const maintenance = new Maintenance(parts)
    maintenance.start()
    await maintenance.stop()
  }
  await sweep()
  expect(await blobs.size(stray)).toBe(21)
  await backups.finish(lease, { outcome: 'failed', bytes: 0, documents: 0 })
  await sweep()
  await expect(blobs.size(stray)).rejects.toMatchObject({ code: errorCode('blob_missing') })
})

test('a backup fails when its client disconnects', async () => {
  await idle()
  const answer = await request()
  await answer.body!.cancel()
  await idle()
  expect(await app.backend.records.backups.last('stream')).toMatchObject({
    outcome: expect.stringMatching(/failed|done/) as string,
  })
})

test('the schedule takes a backup when one is due, keeps a number of them, and health says when', async () => {
  await idle()
  const target = join(await tempFolder(), 'scheduled')
  const health = async () => (await app.alice.get<Health>('/api/v1/health')).body
  expect((await health()).checks?.backup).toMatchObject({ status: 'ok', last_success_at: null })
  const { records, backupSource: source, clock } = app.backend
  const config = { target, everyMs: 0, keep: 2, withVectors: false }
  const schedule = startSchedule({ config, records, source, clock, log: silentLogger, lookMs: 1 })
  const seen = new Set<string>()
  await until('four scheduled backups', () => {
    const folder = join(target, 'snapshots')
    for (const name of existsSync(folder) ? readdirSync(folder) : []) if (name !== 'unfinished') seen.add(name)
    return seen.size >= 4
  })
  await schedule.stop()
  await idle()
  expect(readdirSync(join(target, 'snapshots')).filter((name) => name !== 'unfinished').length).toBeLessThanOrEqual(3)
  const success = await records.backups.lastSuccess('scheduled')
  expect((await health()).checks?.backup).toMatchObject({ last_success_at: success!.startedAt.toISOString() })

  // An original that was lost before any backup makes the next one partial, and the instance degraded.
  await app.bob.ready('four.txt', 'lost on the disk')
  await app.loseOriginal(sha256('lost on the disk'))
  const daily = startSchedule({ config, records, source, clock, log: silentLogger, lookMs: 60_000 })
  await until('a partial backup', async () => (await records.backups.lastSuccess('scheduled'))?.outcome === 'partial')
  await daily.stop()
  expect(await health()).toMatchObject({ status: 'degraded', checks: { backup: { status: 'degraded' } } })
})
