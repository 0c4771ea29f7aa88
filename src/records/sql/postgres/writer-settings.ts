import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { ModelRequest, ModelRequestRecords, WriterReport, WriterReports } from '../../shared.ts'
import type { Tables } from '../tables.ts'
import type { PostgresLease } from './lease.ts'

/** The name of the setting that holds the report as JSON. */
export const REPORT_SETTING = 'writer_report'

const reportSchema: z.ZodType<WriterReport & { holder: string }> = z.object({
  /** The holder of the lease that wrote this report. */
  holder: z.string(),
  documentsWaitFor: z.string().nullable(),
  buildWaitsFor: z.string().nullable(),
  embedder: z.object({ code: z.string(), message: z.string() }).nullable(),
  building: z
    .object({
      indexId: z.string(),
      embedded: z.number(),
      tokensPerSecond: z.number().nullable(),
      since: z.object({ secondsAgo: z.number(), passages: z.number() }),
    })
    .nullable(),
})

export function createWriterReports(db: Kysely<Tables>, writer: Pick<PostgresLease, 'name'>): WriterReports {
  return {
    async write(report, held) {
      if (!(await held.isStillHeld())) return
      const value = JSON.stringify({ ...report, holder: held.holder })
      await sql`insert into settings as s (name, value) values (${REPORT_SETTING}, ${value})
        on conflict (name) do update set value = excluded.value where s.value <> excluded.value`.execute(db)
    },
    async read() {
      const { rows } = await sql<{ value: string; holder: string }>`select value, holder from settings, leases
        where settings.name = ${REPORT_SETTING} and leases.name = ${writer.name} and expires_at > clock_timestamp()`.execute(db)
      const row = rows[0]
      const stored = row && reportSchema.safeParse(JSON.parse(row.value)).data
      if (stored === undefined || stored.holder !== row?.holder) return null
      const { holder: _, ...report } = stored
      return report
    },
  }
}

/** The name of the setting that holds the request as JSON. */
export const REQUEST_SETTING = 'model_request'

const requestSchema: z.ZodType<ModelRequest> = z.object({
  id: z.string(),
  embedder: z.string(),
  answer: z
    .union([
      z.object({ state: z.enum(['in_use', 'building']), notice: z.string().nullable() }),
      z.object({ failure: z.string() }),
    ])
    .nullable(),
})

export function createModelRequests(db: Kysely<Tables>): ModelRequestRecords {
  return {
    async newest() {
      const row = await db.selectFrom('settings').select('value').where('name', '=', REQUEST_SETTING).executeTakeFirst()
      return row === undefined ? null : (requestSchema.safeParse(JSON.parse(row.value)).data ?? null)
    },
    async make(embedder) {
      const request: ModelRequest = { id: randomUUID(), embedder, answer: null }
      const value = JSON.stringify(request)
      const { rows } = await sql`insert into settings (name, value) values (${REQUEST_SETTING}, ${value})
        on conflict (name) do update set value = excluded.value
        where (settings.value::jsonb - 'id') <> (excluded.value::jsonb - 'id')
        returning name`.execute(db)
      return rows.length > 0
    },
    async answer(request, answer) {
      const value = JSON.stringify({ ...request, answer })
      await sql`update settings set value = ${value}
        where name = ${REQUEST_SETTING} and strpos(value, ${request.id}) > 0`.execute(db)
    },
    async withdraw(id) {
      await sql`delete from settings where name = ${REQUEST_SETTING} and strpos(value, ${id}) > 0`.execute(db)
    },
  }
}
