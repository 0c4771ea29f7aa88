import { afterAll, beforeAll, describe, expect, test, type TestContext, vi } from 'vitest'
import { type Instance, newInstance } from '../support/instance.ts'
import { makeMail } from '../support/make-mail.ts'
import { expectSearchableOnce, expectTidy, found } from '../support/promises.ts'
import type { Rest, TestFile } from '../support/rest.ts'
import { rareWord, textWith } from '../support/words.ts'

/** A data folder with one document, copied for every test. */
let template: Instance
const kept = rareWord()

beforeAll(async () => {
  template = await newInstance()
  const first = await template.start()
  await first.upload([{ name: 'kept.txt', content: textWith(kept) }], { wait: true })
  expect(await first.daemon.stop()).toBe(0)
})
afterAll(() => template?.remove())

// These tests mostly wait, so they run at the same time, and each has a long time limit.
vi.setConfig({ testTimeout: 240_000, maxConcurrency: 4 })

async function copyOfTemplate({ onTestFinished }: TestContext): Promise<Instance> {
  const instance = await template.copy()
  onTestFinished(() => instance.remove())
  return instance
}

/** Returns true when the upload was acknowledged, and false when the server died before it answered. */
async function uploads(rest: Rest, ...files: TestFile[]): Promise<boolean> {
  return await rest.upload(files).then(
    ({ status }) => (expect(status).toBe(202), true),
    () => false,
  )
}

// The first upload passes the point and is acknowledged; the second one kills the server.
describe.concurrent.each(['body:2', 'fsync:2', 'rename:2', 'commit:2'] as const)(
  'killed while an upload is received, at %s',
  (killAt) => {
    test('an acknowledged upload is searchable once, and the other leaves nothing behind', async (context) => {
      const instance = await copyOfTemplate(context)
      const before = await instance.start({ killAt })
      const [known, lost] = [rareWord(), rareWord()]
      expect(await uploads(before, { name: 'known.txt', content: textWith(known) })).toBe(true)
      const lostFile = { name: 'lost.txt', content: textWith(lost) }
      expect(await uploads(before, lostFile)).toBe(false)
      await before.died()

      const after = await instance.start()
      await expectSearchableOnce(after, { 'kept.txt': kept, 'known.txt': known })
      await expectTidy(after, instance.dataDir)
      // The upload that was not acknowledged is there completely or not at all, and the client sends it again.
      const there = await found(after, lost)
      expect(there.length).toBe((await after.documents()).filter(({ name }) => name === 'lost.txt').length)
      await after.upload([lostFile], { wait: true })
      await expectSearchableOnce(after, { 'kept.txt': kept, 'known.txt': known, 'lost.txt': lost })
      await expectTidy(after, instance.dataDir)
    })
  },
)

describe.concurrent.each(['extract', 'embed', 'rows', 'segments-written', 'segments-switched', 'index', 'done'] as const)(
  'killed while documents are processed, at %s',
  (point) => {
    test('every acknowledged upload is searchable once', async (context) => {
      const instance = await copyOfTemplate(context)
      const before = await instance.start({ killAt: point })
      const files = Array.from({ length: 4 }, (_, i) => ({ name: `doc-${i}.txt`, word: rareWord() }))
      const acknowledged: Record<string, string> = { 'kept.txt': kept }
      await Promise.all(
        files.map(async ({ name, word }) => {
          if (await uploads(before, { name, content: textWith(word) })) acknowledged[name] = word
        }),
      )
      await before.died()

      const after = await instance.start()
      await expectSearchableOnce(after, acknowledged)
      await expectTidy(after, instance.dataDir)
    })
  },
)

describe.concurrent.each(['commit', 'replace', 'extract', 'rows', 'segments-written', 'segments-switched', 'done'] as const)(
  'killed while a document is replaced, at %s',
  (point) => {
    test('finds the old or the new version, never both and never neither', async (context) => {
      const instance = await copyOfTemplate(context)
      const before = await instance.start({ killAt: point })
      const fresh = rareWord()
      const acknowledged = await uploads(before, { name: 'kept.txt', content: textWith(fresh) })
      await before.died()

      const after = await instance.start()
      const [document, ...more] = await after.settled()
      expect(more).toEqual([])
      const hits = { old: await found(after, kept), new: await found(after, fresh) }
      const bytes = await after.call<string>('GET', `/api/v1/documents/${document!.id}/content`)
      const isNew = bytes.body === textWith(fresh)
      if (acknowledged) expect(isNew).toBe(true)
      expect(hits).toEqual(isNew ? { old: [], new: ['kept.txt'] } : { old: ['kept.txt'], new: [] })
      await expectTidy(after, instance.dataDir)
    })
  },
)

describe.concurrent.each(['delete', 'segments-written', 'segments-switched'] as const)(
  'killed while a document is deleted, at %s',
  (point) => {
    test('the document is still there or deleted, and never found without its row', async (context) => {
      const instance = await copyOfTemplate(context)
      const before = await instance.start({ killAt: point })
      const { id } = (await before.documents())[0]!
      await before.call('DELETE', `/api/v1/documents/${id}`).catch(() => undefined)
      await before.died()

      const after = await instance.start()
      const documents = await after.settled()
      expect(await found(after, kept)).toEqual(documents.map(({ name }) => name))
      await expectTidy(after, instance.dataDir)

      await after.call('DELETE', `/api/v1/documents/${id}`)
      expect(await found(after, kept)).toEqual([])
      expect((await after.call('GET', `/api/v1/documents/${id}`)).status).toBe(404)
      await expectTidy(after, instance.dataDir)
    })
  },
)

describe.concurrent.each(['restore', 'segments-written', 'segments-switched', 'extract', 'rows', 'done'] as const)(
  'killed while a version comes back from the trash, at %s',
  (point) => {
    test('the version is present or in the trash, and searches agree', async (context) => {
      const instance = await copyOfTemplate(context)
      const first = await instance.start()
      const fresh = rareWord()
      const { body } = await first.upload([{ name: 'kept.txt', content: textWith(fresh) }], { wait: true })
      const present = body.documents[0]!
      expect(await first.daemon.stop()).toBe(0)

      const before = await instance.start({ killAt: point })
      await before.call('POST', `/api/v1/documents/${present.replaced_id!}/restore`).catch(() => undefined)
      await before.died()

      const after = await instance.start()
      const documents = await after.settled()
      const trash = await after.call<{ documents: { id: string }[] }>('GET', '/api/v1/documents?trashed=true')
      const ids = [present.id, present.replaced_id!]
      // The restoration is in the records before the process is killed.
      expect([...documents, ...trash.body.documents].map(({ id }) => id)).toEqual(ids.toReversed())
      expect([await found(after, kept), await found(after, fresh)]).toEqual([['kept.txt'], []])
      await expectTidy(after, instance.dataDir)
    })
  },
)

describe.concurrent('killed while a document in the trash is deleted for good', () => {
  test('the document is gone, and so is its original after a sweep', async (context) => {
    const instance = await copyOfTemplate(context)
    const before = await instance.start({ killAt: 'purge' })
    const { id } = (await before.documents())[0]!
    await before.call('DELETE', `/api/v1/documents/${id}`)
    await before.call('DELETE', `/api/v1/documents/${id}?permanent=true`).catch(() => undefined)
    await before.died()

    const after = await instance.start()
    expect(await after.settled()).toEqual([])
    const trash = await after.call<{ documents: unknown[] }>('GET', '/api/v1/documents?trashed=true')
    expect(trash.body.documents).toEqual([])
    expect(await found(after, kept)).toEqual([])
    expect((await after.call('POST', `/api/v1/documents/${id}/restore`)).status).toBe(404)
    await expectTidy(after, instance.dataDir)
  })
})

describe.concurrent.each(['edit', 'rows', 'segments-written', 'segments-switched'] as const)(
  'killed while a document is renamed and moved, at %s',
  (point) => {
    test('searches and lists agree about its name, path and project afterwards', async (context) => {
      const instance = await copyOfTemplate(context)
      const before = await instance.start({ killAt: point })
      const { id } = (await before.documents())[0]!
      const change = { name: 'renamed.txt', path: 'moved/renamed.txt', tags: ['x'] }
      await before.call('PATCH', `/api/v1/documents/${id}`, change).catch(() => undefined)
      await before.died()

      const after = await instance.start()
      const [document, ...more] = await after.settled()
      expect(more).toEqual([])
      // The edit is written to the records before the process is killed.
      expect(document).toMatchObject({ id, status: 'ready', ...change })
      expect(await found(after, kept)).toEqual(['renamed.txt'])
      const search = { query: kept, filter: { path_prefix: 'moved/', tags: ['x'] } }
      const { body } = await after.call<{ results: unknown[] }>('POST', '/api/v1/search', search)
      expect(body.results).toHaveLength(1)
      await expectTidy(after, instance.dataDir)
    })
  },
)

describe.concurrent('killed again and again during recovery', () => {
  test('the first start that is not killed finishes every document once', async (context) => {
    const instance = await copyOfTemplate(context)
    let running = await instance.start({ killAt: 'extract' })
    const words = Object.fromEntries(Array.from({ length: 3 }, (_, i) => [`doc-${i}.txt`, rareWord()]))
    const acknowledged: Record<string, string> = { 'kept.txt': kept }
    for (const [name, word] of Object.entries(words)) {
      if (await uploads(running, { name, content: textWith(word) })) acknowledged[name] = word
    }
    await running.died()
    expect(Object.keys(acknowledged).length).toBeGreaterThan(1)
    for (const killAt of ['embed', 'rows', 'segments-written', 'segments-switched', 'embed', 'index'] as const) {
      // The server may die before it listens, or after.
      await (await instance.tryStart({ killAt }))?.died()
    }
    running = await instance.start()
    await expectSearchableOnce(running, acknowledged)
    await expectTidy(running, instance.dataDir)
  })
})

describe.concurrent.each(['attachment', 'attachment:2', 'extract', 'extract:2', 'embed:2', 'done'] as const)(
  'killed while a message and its attachments are processed, at %s',
  (killAt) => {
    test('the message and each attachment are searchable once', async (context) => {
      const instance = await copyOfTemplate(context)
      const words = { 'trip.eml': rareWord(), 'one.txt': rareWord(), 'inner.eml': rareWord(), 'two.txt': rareWord() }
      const file = (name: 'one.txt' | 'two.txt') => ({ type: 'text/plain', name, body: textWith(words[name]) })
      const inner = makeMail({ text: textWith(words['inner.eml']), attachments: [file('two.txt')] })
      const attached = { type: 'message/rfc822', name: 'inner.eml', body: inner.toString() }
      const mail = makeMail({ text: textWith(words['trip.eml']), attachments: [file('one.txt'), attached] })
      const before = await instance.start({ killAt })
      await uploads(before, { name: 'trip.eml', content: new Uint8Array(mail) })
      await before.died()

      const after = await instance.start()
      await expectSearchableOnce(after, { 'kept.txt': kept, ...words })
      await expectTidy(after, instance.dataDir)
    })
  },
)
