import type { DeviceRecord } from '../oauth.ts'

/**
 * The tables of OAuth, with the conventions of tables.ts. `client_id` is no foreign key, because the built-in application has no
 * row.
 */
export interface OAuthTables {
  oauth_clients: OAuthApplicationRow
  oauth_client_secrets: OAuthApplicationSecretRow
  oauth_registrations: OAuthRegistrationRow
  oauth_codes: OAuthCodeRow
  oauth_grants: OAuthGrantRow
  oauth_access_tokens: OAuthAccessTokenRow
  oauth_refresh_tokens: OAuthRefreshTokenRow
  oauth_device_codes: OAuthDeviceCodeRow
}

export interface OAuthApplicationRow {
  id: string
  owner_id: string
  name: string
  type: 'confidential' | 'public'
  redirect_uris: string
  scopes: string
  created_at: number
  updated_at: number
}

export interface OAuthApplicationSecretRow {
  client_id: string
  sha256: string
  last_four: string
  created_at: number
  /** Null for the current secret. Earlier secrets work until then. */
  expires_at: number | null
}

/** An application that registered itself: public, without an owner. */
export interface OAuthRegistrationRow {
  id: string
  name: string
  redirect_uris: string
  scopes: string
  created_at: number
  /** Null for a registration of an earlier version, which may use all. */
  grant_types: string | null
}

export interface OAuthCodeRow {
  sha256: string
  client_id: string
  user_id: string
  redirect_uri: string
  scopes: string
  projects: string | null
  code_challenge: string | null
  resource: string | null
  created_at: number
  expires_at: number
  used_at: number | null
  grant_id: string | null
}

export interface OAuthGrantRow {
  id: string
  user_id: string
  client_id: string
  scopes: string
  projects: string | null
  resource: string | null
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

export interface OAuthAccessTokenRow {
  sha256: string
  grant_id: string
  scopes: string
  created_at: number
  expires_at: number
}

export interface OAuthRefreshTokenRow {
  sha256: string
  grant_id: string
  created_at: number
  expires_at: number
  /** A used token stays until it would have expired, so that a second use is noticed. */
  used_at: number | null
  successor: string | null
}

export interface OAuthDeviceCodeRow {
  device_sha256: string
  user_sha256: string
  client_id: string
  scopes: string
  projects: string | null
  resource: string | null
  status: DeviceRecord['status']
  user_id: string | null
  created_at: number
  expires_at: number
  interval_seconds: number
  last_polled_at: number | null
}
