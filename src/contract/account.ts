import { z } from 'zod'
import { DEFAULT_SCOPES } from '../core/model.ts'
import { nextCursor, pageQuery, scope, shownName, timestamp } from './common.ts'

export const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(scope),
    last_four: z.string(),
    created_at: timestamp,
    last_used_at: timestamp.nullable(),
    expires_at: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof apiKey>

export const apiKeyCreated = apiKey
  .extend({ key: z.string().meta({ description: 'Shown this once' }) })
  .meta({ id: 'ApiKeyCreated' })
export type ApiKeyCreated = z.infer<typeof apiKeyCreated>
export const apiKeyList = z.object({ keys: z.array(apiKey), next_cursor: nextCursor }).meta({ id: 'ApiKeyList' })
export type ApiKeyList = z.infer<typeof apiKeyList>
export const apiKeyListQuery = z.strictObject(pageQuery)
export const apiKeyCreate = z
  .strictObject({
    name: shownName,
    scopes: z
      .array(scope)
      .min(1)
      .optional()
      .meta({ description: `Default: ${DEFAULT_SCOPES.join(' and ')}, as far as the caller has them` }),
    expires_in_days: z.int().min(1).max(3650).optional(),
  })
  .meta({ id: 'ApiKeyCreate' })
export type ApiKeyCreate = z.input<typeof apiKeyCreate>

export const me = z
  .object({
    user: z.object({ id: z.string(), name: z.string(), email: z.string().nullable(), role: z.enum(['owner', 'member']) }),
    scopes: z.array(scope),
    authentication: z.object({
      method: z.enum(['api_key', 'access_token']),
      id: z.string(),
      name: z.string().nullable(),
    }),
    expires_at: timestamp.nullable(),
  })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof me>

const check = z.object({ status: z.enum(['ok', 'degraded', 'unavailable']), message: z.string() }).catchall(z.unknown())
export const health = z
  .object({
    status: z.enum(['ok', 'degraded', 'unavailable']),
    version: z.string(),
    uptime_s: z.number().optional(),
    checks: z.object({ database: check, index: check, embedder: check, reranker: check, queue: check, disk: check }).optional(),
  })
  .meta({ id: 'Health' })
export type Health = z.infer<typeof health>
