import { z } from 'zod'
import { DEFAULT_SCOPES } from '../core/model.ts'
import { displayName, limitedTo, scope, timestamp } from './common.ts'

const redirectUris = z.array(z.string()).min(1).meta({
  description:
    'Absolute addresses, compared character by character: https, http on a loopback address, or a scheme of the application such as `com.example.app:/…`. A loopback address without a port matches any port',
})
const scopes = z
  .array(scope)
  .min(1)
  .optional()
  .meta({ description: `The scopes that the application may request. Default: ${DEFAULT_SCOPES.join(' and ')}` })

export const oauthClient = z
  .object({
    client_id: z.string(),
    name: z.string(),
    type: z.enum(['confidential', 'public']),
    redirect_uris: z.array(z.string()),
    scopes: z.array(scope),
    secrets: z
      .array(z.object({ last_four: z.string(), created_at: timestamp, expires_at: timestamp.nullable() }))
      .meta({ description: 'Newest first. An older secret works until it expires. Empty for a public application' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'OAuthClient' })
export type OAuthClient = z.infer<typeof oauthClient>

const clientSecret = z.string().meta({ description: 'Shown only once' })
export const oauthClientCreated = oauthClient
  .extend({ client_secret: clientSecret.optional().meta({ description: 'Shown only once. Missing for a public application' }) })
  .meta({ id: 'OAuthClientCreated' })
export type OAuthClientCreated = z.infer<typeof oauthClientCreated>
export const oauthClientList = z.object({ clients: z.array(oauthClient) }).meta({ id: 'OAuthClientList' })
export type OAuthClientList = z.infer<typeof oauthClientList>

export const oauthClientCreate = z
  .strictObject({
    name: displayName,
    redirect_uris: redirectUris,
    type: z.enum(['confidential', 'public']).default('confidential'),
    scopes,
  })
  .meta({ id: 'OAuthClientCreate' })
export type OAuthClientCreate = z.input<typeof oauthClientCreate>
export const oauthClientUpdate = z
  .strictObject({ name: displayName.optional(), redirect_uris: redirectUris.optional(), scopes })
  .meta({ id: 'OAuthClientUpdate' })
export type OAuthClientUpdate = z.input<typeof oauthClientUpdate>

const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60
export const oauthClientRotate = z
  .strictObject({
    grace_seconds: z
      .int()
      .min(0)
      .max(MAX_GRACE_SECONDS)
      .optional()
      .meta({ description: 'How long the old secrets keep working. Default: one day' }),
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
    projects: limitedTo,
    connected_at: timestamp,
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'Connection' })
export type Connection = z.infer<typeof connection>
export const connectionList = z.object({ connections: z.array(connection) }).meta({ id: 'ConnectionList' })
export type ConnectionList = z.infer<typeof connectionList>
