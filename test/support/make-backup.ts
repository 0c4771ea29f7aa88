import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pack, type Headers } from 'tar-stream'
import { DATABASE } from '../../src/backup/layout.ts'
import { writeTar } from '../../src/backup/write-tar.ts'
import { tempFolder } from './temp-folder.ts'

export const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

interface MadeBackup {
  /** What the database would be. */
  database?: string
  originals?: readonly string[]
  /** Originals that the backup can't read. */
  missing?: readonly string[]
  known?: readonly string[]
  createdAt?: string
  schema?: string[]
}

/** Returns a backup as a tar, with a text in the place of the database. */
export async function makeBackup(made: MadeBackup = {}): Promise<Buffer> {
  const { database = 'the database', originals = ['one', 'two'], missing = [], known = [], schema = [] } = made
  const file = join(await tempFolder(), 'database')
  await writeFile(file, database)
  const texts = new Map(originals.map((text) => [sha256(text), text]))
  const { stream } = writeTar({
    files: [{ path: DATABASE, file }],
    originals: [...originals, ...missing].map((text) => ({ sha256: sha256(text), size: Buffer.byteLength(text) })),
    known: new Set(known.map(sha256)),
    async openOriginal(hash) {
      const text = texts.get(hash)
      return text === undefined ? null : { size: Buffer.byteLength(text), open: async () => Readable.from([Buffer.from(text)]) }
    },
    manifest: {
      format: 'docsearch-backup',
      format_version: 1,
      docsearch_version: '0.0.0-test',
      created_at: made.createdAt ?? '2026-11-24T20:30:00.000Z',
      schema,
      documents: originals.length,
      trashed: 0,
      index: null,
    },
  })
  return buffer(stream)
}

/** Returns a tar with these entries, whatever they are. */
export async function makeTar(entries: readonly { header: Headers; content?: string }[]): Promise<Buffer> {
  const tar = pack()
  for (const { header, content } of entries) tar.entry(header, content)
  tar.finalize()
  return buffer(Readable.from(tar))
}
