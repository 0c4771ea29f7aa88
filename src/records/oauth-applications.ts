import type { ApplicationRecord, Scope } from '../core/model.ts'

/** A field that is left out stays as it is. */
export interface ApplicationChange {
  name?: string
  redirectUris?: readonly string[]
  scopes?: readonly Scope[]
}

/** The SHA-256 of an application's secret, and what the owner sees of it. */
export interface ApplicationSecret {
  sha256: string
  lastFour: string
}

/** Applications that users may give access to their documents. */
export interface OAuthApplications {
  create(application: {
    ownerId: string
    name: string
    type: ApplicationRecord['type']
    redirectUris: readonly string[]
    scopes: readonly Scope[]
    /** Null for a public application. */
    secret: ApplicationSecret | null
  }): Promise<ApplicationRecord>
  /** Finds an application of any owner by its `client_id`. */
  get(id: string): Promise<ApplicationRecord | null>
  /** Newest first. */
  list(ownerId: string): Promise<ApplicationRecord[]>
  /** Returns null when the owner has no such application. */
  update(ownerId: string, id: string, change: ApplicationChange): Promise<ApplicationRecord | null>
  /**
   * Adds a new secret. Earlier secrets work until `oldUntil` at the latest. Returns null for a public application, and where
   * `update` does.
   */
  rotate(ownerId: string, id: string, secret: ApplicationSecret, oldUntil: Date): Promise<ApplicationRecord | null>
  /** Returns true when the application has this secret and it has not expired. */
  hasSecret(id: string, sha256: string): Promise<boolean>
  /**
   * Deletes an application with all users' grants, codes and tokens for it. Returns false when the owner has no such application.
   */
  delete(ownerId: string, id: string): Promise<boolean>
}
