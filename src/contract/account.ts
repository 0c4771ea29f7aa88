import { z } from 'zod'
import { DEFAULT_SCOPES } from '../core/model.ts'
import { nextCursor, limitedTo, listQuery, projectLimit, keyScope, displayName, timestamp, quota, usage } from './common.ts'

export const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(keyScope),
    projects: limitedTo,
    last_four: z.string().meta({ description: 'The last four characters of the key' }),
    created_at: timestamp,
    last_used_at: timestamp.nullable().meta({ description: 'Null if the key was never used' }),
    expires_at: timestamp.nullable().meta({ description: 'Null if the key never expires' }),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof apiKey>

export const apiKeyCreated = apiKey
  .extend({ key: z.string().meta({ description: 'The key. Shown only once' }) })
  .meta({ id: 'ApiKeyCreated' })
export type ApiKeyCreated = z.infer<typeof apiKeyCreated>
export const apiKeyList = z.object({ keys: z.array(apiKey), next_cursor: nextCursor }).meta({ id: 'ApiKeyList' })
export type ApiKeyList = z.infer<typeof apiKeyList>
export const apiKeyListQuery = z.strictObject(listQuery)
export const apiKeyCreate = z
  .strictObject({
    name: displayName,
    scopes: z
      .array(keyScope)
      .min(1)
      .optional()
      .meta({
        description: `Default: ${DEFAULT_SCOPES.join(' and ')}, or those of the two that the caller has. Only the owner can create a key with \`read:metrics\`, without \`projects\``,
      }),
    projects: projectLimit.optional().meta({
      description:
        'IDs or names of the projects to which to limit the key. Default: the limit of the caller. Without a limit, the key may use all projects that you are a member of, now and later',
    }),
    expires_in_days: z.int().min(1).max(3650).optional().meta({ description: 'Default: the key never expires' }),
  })
  .meta({ id: 'ApiKeyCreate' })
export type ApiKeyCreate = z.input<typeof apiKeyCreate>

export const me = z
  .object({
    user: z.object({ id: z.string(), name: z.string(), email: z.string().nullable(), role: z.enum(['owner', 'member']) }),
    scopes: z.array(keyScope),
    projects: limitedTo,
    authentication: z.object({
      method: z.enum(['api_key', 'access_token']),
      id: z.string().meta({ description: 'ID of the key or the token' }),
      name: z.string().nullable().meta({ description: 'Name of the key or the application' }),
    }),
    expires_at: timestamp.nullable().meta({ description: 'When the credential expires. Null if never' }),
    usage,
    quota,
  })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof me>

const check = z.object({ status: z.enum(['ok', 'degraded', 'unavailable']), message: z.string() }).catchall(z.unknown())
export const health = z
  .object({
    status: z.enum(['ok', 'degraded', 'unavailable']),
    version: z.string(),
    uptime_s: z.number().optional(),
    checks: z
      .object({
        database: check,
        store: check.optional(),
        index: check,
        embedder: check,
        reranker: check,
        queue: check,
        disk: check,
        originals: check,
        backup: check.optional(),
      })
      .optional(),
  })
  .meta({ id: 'Health' })
export type Health = z.infer<typeof health>
