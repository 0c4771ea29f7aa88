import { z } from 'zod'
import { timestamp } from './common.ts'

/** Raise it when an earlier version of docsearch could not read the backups of this version. */
export const BACKUP_FORMAT_VERSION = 1

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const size = z.int().min(0)

/** The content of `manifest.json`. docs/backup.md describes it. */
export const backupManifest = z.object({
  format: z.literal('docsearch-backup'),
  format_version: z.int().min(1),
  docsearch_version: z.string(),
  created_at: timestamp,
  schema: z.array(z.string()),
  documents: size,
  trashed: size,
  index: z
    .object({ id: z.string(), embedding_model: z.string(), dimensions: z.int().min(1), fingerprint: z.string() })
    .nullable(),
  files: z.array(z.object({ path: z.string(), sha256, size })),
  originals: z.record(sha256, size),
  failed: z.array(z.object({ sha256, reason: z.enum(['missing', 'damaged']) })),
  checksum: sha256,
})
export type BackupManifest = z.infer<typeof backupManifest>

export const backupQuery = z.strictObject({
  with_vectors: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Adds the passages with their vectors, so that a restored instance does not embed them again' }),
})

/** A request can name about a million originals. */
export const MAX_KNOWN_BYTES = 66_000_000

/** Whether the search index was restored. */
export type RestoredIndex = { state: 'restored'; passages: number } | { state: 'rebuilt'; reason: string }

/** What `docsearch restore --json` prints. */
export interface Restored {
  /** The data folder. */
  data: string
  created_at: string
  docsearch_version: string
  documents: number
  trashed: number
  originals: number
  bytes: number
  index: RestoredIndex
  /** Originals that the backup lacks, or that are damaged in it. */
  missing: string[]
  /** True when the settings of scheduled backups were left out. */
  backups_off: boolean
}
