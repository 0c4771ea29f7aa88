import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { Lease, WriterReport, WriterReports } from '../../shared.ts'
import type { Tables } from '../tables.ts'

/** The name of the setting that holds the report as JSON. */
export const REPORT_SETTING = 'writer_report'

const schema: z.ZodType<WriterReport> = z.object({
  documentsWaitFor: z.string().nullable(),
  buildWaitsFor: z.string().nullable(),
  // The former version does not report this.
  embedder: z.object({ code: z.string(), message: z.string() }).nullable().default(null),
  building: z
    .object({
      indexId: z.string(),
      embedded: z.number(),
      tokensPerSecond: z.number().nullable(),
      since: z.object({ secondsAgo: z.number(), passages: z.number() }),
    })
    .nullable(),
})

export function createWriterReports(db: Kysely<Tables>, writer: Lease): WriterReports {
  return {
    async write(report) {
      if (!(await writer.isStillHeld())) return
      const value = JSON.stringify(report)
      await sql`insert into settings as s (name, value) values (${REPORT_SETTING}, ${value})
        on conflict (name) do update set value = excluded.value where s.value <> excluded.value`.execute(db)
    },
    async read() {
      if (!(await writer.isTaken())) return null
      const row = await db.selectFrom('settings').select('value').where('name', '=', REPORT_SETTING).executeTakeFirst()
      return row === undefined ? null : (schema.safeParse(JSON.parse(row.value)).data ?? null)
    },
  }
}
