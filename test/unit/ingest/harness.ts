import { createHash, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openBlobs } from '../../../src/blobs/files.ts'
import { DEFAULT_LIMITS } from '../../../src/config/config.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import type { DocumentRecord } from '../../../src/core/model.ts'
import { chooseEmbedder } from '../../../src/embed/choose.ts'
import { startLifecycle } from '../../../src/lifecycle/start.ts'
import { createIndexStore } from '../../../src/index/index-store.ts'
import { createIngest } from '../../../src/ingest/create.ts'
import type { Ocr } from '../../../src/parse/ocr/ocr.ts'
import type { OnConflict } from '../../../src/records/records.ts'
import { openRecordsIn } from '../../support/temp-records.ts'
import { analyseQuery } from '../../../src/text/analyse.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { parserPool } from '../../support/parser-pool.ts'
import { keywordSearch } from '../../support/search-index.ts'

const log = silentLogger
const clock = systemClock
export interface Bench extends Awaited<ReturnType<typeof open>> {}

/** Real records, originals, index, parsers and ingest on a data folder. Closed when the test ends. */
export async function openBench(
  options: { folder?: string; embedder?: string; ollamaUrl?: string; ocr?: Ocr; checkEveryMs?: number } = {},
): Promise<Bench> {
  const bench = await open(
    options.folder ?? (await tempFolder()),
    options.embedder ?? 'builtin',
    options.ollamaUrl ?? 'http://127.0.0.1:9',
    options.ocr,
    options.checkEveryMs,
  )
  onTestFinished(() => bench.close())
  return bench
}

async function open(folder: string, setting: string, ollamaUrl: string, ocr?: Ocr, checkEveryMs?: number) {
  const records = await openRecordsIn({ file: join(folder, 'docsearch.db'), clock, log })
  const blobs = await openBlobs({ folder, clock })
  const indexStore = createIndexStore({ dataDir: folder, log })
  const lifecycle = await startLifecycle({
    records,
    indexStore,
    chooseEmbedder: (existing, named) => chooseEmbedder({ setting: named ?? setting, ollamaUrl, existing, log }),
    ...(checkEveryMs === undefined ? {} : { checkEveryMs }),
    log,
  })
  const ingest = createIngest({ records, blobs, lifecycle, parserPool, ocr, limits: DEFAULT_LIMITS, parseWorkers: 2, clock, log })
  const owner = (await records.users.owner()) ?? (await records.users.create({ name: 'A', email: null, role: 'owner' }))
  const [existing] = (await records.members.visibleTo(owner.id)).projects
  const project = existing ?? (await records.projects.create({ ownerId: owner.id, name: 'default', description: '' }))
  let closed = false
  const index = () => lifecycle.active()!.index

  const visible = new Set([project.id])
  const place = { ownerId: owner.id, uploaderId: owner.id, projectId: project.id }

  /** Returns where another user's uploads go. */
  async function newPlace(): Promise<typeof place> {
    const { id: ownerId } = await records.users.create({ name: 'B', email: null, role: 'member' })
    const { id: projectId } = await records.projects.create({ ownerId, name: 'default', description: '' })
    return { ownerId, uploaderId: ownerId, projectId }
  }

  async function upload(name: string, content: string | Buffer, onConflict: OnConflict = 'replace', to = place) {
    const file = join(blobs.incoming, randomUUID())
    await writeFile(file, content)
    const bytes = Buffer.from(content)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const named = { ...to, name, path: name, tags: ['t'] }
    return ingest.accept({ ...named, file, sha256, sizeBytes: bytes.length, onConflict })
  }

  async function settle(...ids: string[]): Promise<void> {
    if (!(await ingest.settled(visible, ids, 50_000))) throw new Error('not settled')
  }

  return {
    folder,
    owner,
    project,
    visible,
    records,
    blobs,
    indexStore,
    lifecycle,
    ingest,
    index,
    upload,
    newPlace,
    settle,
    /** Uploads a document, waits until it is ready or failed, and returns its row. */
    async ingested(name: string, content: string | Buffer): Promise<DocumentRecord> {
      const { document } = await upload(name, content)
      await settle(document.id)
      return (await records.documents.get(visible, document.id))!
    },
    row: async (id: string) => (await records.documents.get(visible, id))!,
    /** Returns the paths of the documents with this word, or the id of a document without a row. Reads the index directly, so that nothing hides a wrong hit. */
    async found(word: string): Promise<string[]> {
      const hits = await keywordSearch(index(), analyseQuery(word), {}, 100)
      const rows = await records.documents.getMany(
        visible,
        hits.map((hit) => hit.documentId),
      )
      return [...new Set(hits.map((hit) => rows.get(hit.documentId)?.path ?? hit.documentId))].toSorted()
    },
    async close(): Promise<void> {
      if (closed) return
      closed = true
      await ingest.stop(10_000)
      await lifecycle.close()
      await records.close()
    },
  }
}
