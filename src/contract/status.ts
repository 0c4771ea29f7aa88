import { z } from 'zod'
import { health } from './account.ts'

const bytes = z.int().nullable()

const recent = z
  .object({
    minutes: z.number().meta({ description: 'How many minutes the numbers cover: 5, or fewer after a start' }),
    requests: z.int(),
    searches: z.int(),
    search_ms: z
      .object({ median: z.number(), p95: z.number(), max: z.number() })
      .nullable()
      .meta({ description: 'How long searches took. Null without searches' }),
    documents_ready: z.int(),
    documents_failed: z.int(),
    passages: z.int(),
  })
  .meta({ id: 'RecentWork' })

const instance = z
  .object({
    queue_oldest_s: z
      .number()
      .nullable()
      .meta({ description: 'How long the oldest unfinished document has been in the queue. Null for an empty queue' }),
    recent: recent.nullable().meta({ description: 'What the daemon did in the last minutes' }),
    index: z
      .object({
        passages: z.int(),
        unindexed: z.int().meta({ description: 'Passages that searches do not find, because they are being rebuilt' }),
        segments: z.int(),
        memory_bytes: z.int(),
      })
      .nullable(),
    parsers: z.object({ processes: z.int(), idle: z.int(), waiting: z.int() }).nullable(),
    memory: z.object({ resident_bytes: z.int(), heap_bytes: z.int(), search_limit_bytes: z.int() }).nullable(),
    storage: z.object({
      folder: z.string(),
      database_bytes: bytes,
      originals_bytes: z.int().meta({ description: 'Each copy of a file counts' }),
      indexes_bytes: bytes,
      page_images_bytes: bytes,
      free_bytes: bytes,
      total_bytes: bytes,
    }),
    users: z.object({ active: z.int(), disabled: z.int() }),
    shared: z
      .object({
        database: z.string().meta({ description: 'The address of the database, without a password' }),
        store: z.string(),
        store_problem: z.string().nullable().meta({ description: 'Why the store could not be read. Null if it could' }),
      })
      .optional()
      .meta({
        description: 'Where the processes of the instance keep their data. Only from `docsearch status --data`',
      }),
  })
  .meta({ id: 'InstanceStatus' })

export const status = health
  .extend({
    documents: z
      .object({ queued: z.int(), processing: z.int(), ready: z.int(), failed: z.int() })
      .meta({ description: 'Documents that you may see, or all documents for the owner of the instance' }),
    instance: instance.nullable().meta({
      description:
        'Only for the owner of the instance, with a credential that is not limited to projects. Null for others. Its parts are null if they cannot be measured',
    }),
  })
  .meta({ id: 'Status' })
export type Status = z.infer<typeof status>
export type RecentWork = z.infer<typeof recent>
export type InstanceStatus = z.infer<typeof instance>
