import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { jsonOrNull } from '../../../core/json-or-null.ts'
import { corrupt } from '../../failures.ts'

/** When the meaning of entries changes, raise this and `INDEX_LAYOUT_VERSION`: processes of two versions may read one index. */
const FORMAT_VERSION = 1

/** The manifests of projects. Null for a project that has no segments any more. */
export type Manifests = ReadonlyMap<string, string | null>

/** A commit to an index. */
export interface LogEntry {
  number: number
  /** The fence of the writer. It never falls from one entry to the next. */
  fence: number
  /** Names this attempt to write the entry among all others. */
  writer: string
  /** A checkpoint has the manifests of all projects, so readers need no earlier entries. Other entries have only the manifests that changed. */
  isCheckpoint: boolean
  manifests: Manifests
}

const ENTRY = z.strictObject({
  format_version: z.literal(FORMAT_VERSION),
  number: z.int().positive(),
  fence: z.int().nonnegative(),
  writer: z.string(),
  is_checkpoint: z.boolean(),
  manifests: z.array(z.tuple([z.string(), z.string().nullable()])),
  checksum: z.int(),
})

export function formatEntry({ number, fence, writer, isCheckpoint, manifests }: LogEntry): Buffer {
  const content = {
    format_version: FORMAT_VERSION,
    number,
    fence,
    writer,
    is_checkpoint: isCheckpoint,
    manifests: [...manifests],
  }
  return Buffer.from(`${JSON.stringify({ ...content, checksum: crc32(JSON.stringify(content)) })}\n`)
}

/** Throws `index_corrupt` unless `formatEntry` wrote the bytes for this number. */
export function parseEntry(bytes: Buffer, number: number): LogEntry {
  const { success, data } = ENTRY.safeParse(jsonOrNull(bytes.toString()))
  if (!success) throw damaged(number, 'is damaged or has another format')
  const { checksum, ...content } = data
  if (checksum !== crc32(JSON.stringify(content))) throw damaged(number, 'is damaged')
  if (content.number !== number) throw damaged(number, 'has another number')
  const { fence, writer, is_checkpoint: isCheckpoint, manifests } = content
  return { number, fence, writer, isCheckpoint, manifests: new Map(manifests) }
}

function damaged(number: number, how: string) {
  return corrupt(`Commit ${number} of the search index ${how}. The index must be rebuilt from the documents.`)
}
