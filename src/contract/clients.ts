import { z } from 'zod'
import { DEFAULT_SCOPES } from '../core/model.ts'
import { shownName, scope, timestamp } from './common.ts'

const redirectUris = z.array(z.string()).min(1).meta({
  description:
    'Absolute addresses, compared as they are: https, http on loopback (any port), or an own scheme `com.example.app:/…`',
})
const scopes = z
  .array(scope)
  .min(1)
  .optional()
  .meta({ description: `What it may ask its users for at most; default ${DEFAULT_SCOPES.join(' and ')}` })

export const oauthClient = z
  .object({
    client_id: z.string(),
    name: z.string(),
    type: z.enum(['confidential', 'public']),
    redirect_uris: z.array(z.string()),
    scopes: z.array(scope),
    secrets: z
      .array(z.object({ last_four: z.string(), created_at: timestamp, expires_at: timestamp.nullable() }))
      .meta({ description: 'Newest first; an older one is good until it expires. None for a public client' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'OAuthClient' })
export type OAuthClient = z.infer<typeof oauthClient>

const clientSecret = z.string().meta({ description: 'Shown this once' })
export const oauthClientCreated = oauthClient
  .extend({ client_secret: clientSecret.optional().meta({ description: 'Shown this once; none for a public client' }) })
  .meta({ id: 'OAuthClientCreated' })
export type OAuthClientCreated = z.infer<typeof oauthClientCreated>
export const oauthClientList = z.object({ clients: z.array(oauthClient) }).meta({ id: 'OAuthClientList' })
export type OAuthClientList = z.infer<typeof oauthClientList>

export const oauthClientCreate = z
  .strictObject({
    name: shownName,
    redirect_uris: redirectUris,
    type: z.enum(['confidential', 'public']).default('confidential'),
    scopes,
  })
  .meta({ id: 'OAuthClientCreate' })
export type OAuthClientCreate = z.input<typeof oauthClientCreate>
export const oauthClientUpdate = z
  .strictObject({ name: shownName.optional(), redirect_uris: redirectUris.optional(), scopes })
  .meta({ id: 'OAuthClientUpdate' })
export type OAuthClientUpdate = z.input<typeof oauthClientUpdate>

const MOST_GRACE_SECONDS = 30 * 24 * 60 * 60
export const oauthClientRotate = z
  .strictObject({
    grace_seconds: z
      .int()
      .min(0)
      .max(MOST_GRACE_SECONDS)
      .optional()
      .meta({ description: 'How long the old secrets stay good; default one day' }),
  })
  .meta({ id: 'OAuthClientRotate' })
export type OAuthClientRotate = z.input<typeof oauthClientRotate>
export const oauthClientRotated = oauthClient
  .extend({ client_secret: clientSecret, old_secrets_expire_at: timestamp })
  .meta({ id: 'OAuthClientRotated' })
export type OAuthClientRotated = z.infer<typeof oauthClientRotated>

export const connection = z
  .object({
    client_id: z.string(),
    name: z.string(),
    type: z.enum(['confidential', 'public']),
    scopes: z.array(scope),
    connected_at: timestamp,
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'Connection' })
export type Connection = z.infer<typeof connection>
export const connectionList = z.object({ connections: z.array(connection) }).meta({ id: 'ConnectionList' })
export type ConnectionList = z.infer<typeof connectionList>
