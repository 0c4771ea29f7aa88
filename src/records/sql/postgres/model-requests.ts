import { type Kysely, sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { ModelRequest, ModelRequestRecords } from '../../shared.ts'
import type { Tables } from '../tables.ts'

/** The name of the setting that holds the request as JSON. */
export const REQUEST_SETTING = 'model_request'

const schema: z.ZodType<ModelRequest> = z.object({
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
      return row === undefined ? null : (schema.safeParse(JSON.parse(row.value)).data ?? null)
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
