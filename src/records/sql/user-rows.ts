import type { Kysely } from 'kysely'
import { foldName } from '../../core/fold-name.ts'
import type { QuotaChange, User } from '../../core/model.ts'
import { userExists } from '../errors.ts'
import { isUniqueViolation } from './errors.ts'
import { dateOrNull } from './tables.ts'
import type { Tables, UserRow } from './tables.ts'
import { quotasOf } from './counts.ts'

export function emailColumns(email: string | null) {
  return { email, email_folded: email === null ? null : foldName(email) }
}

export function quotaColumns({ documents, bytes, passages }: QuotaChange = {}) {
  return {
    ...(documents === undefined ? {} : { quota_documents: documents }),
    ...(bytes === undefined ? {} : { quota_bytes: bytes }),
    ...(passages === undefined ? {} : { quota_passages: passages }),
  }
}

/** Selects the ids of users who are not disabled, for `user_id in (…)`. */
export function activeUsers(sql: Kysely<Tables>) {
  return sql.selectFrom('users').select('users.id').where('users.disabled_at', 'is', null)
}

export function toUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    createdAt: new Date(row.created_at),
    disabledAt: dateOrNull(row.disabled_at),
    hasPassword: row.password_hash !== null,
    lastLoginAt: dateOrNull(row.last_login_at),
    ownQuotas: quotasOf(row),
  }
}

export async function orUserExists<T>(email: string | null | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw userExists(email, error)
  }
}
