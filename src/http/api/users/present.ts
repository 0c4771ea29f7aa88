import type { User as WireUser } from '../../../contract/users.ts'
import type { User } from '../../../core/model.ts'

/** A user as the wire has them. */
export function presentUser(user: User): WireUser {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    disabled: user.disabledAt !== null,
    has_password: user.hasPassword,
    created_at: user.createdAt.toISOString(),
    last_login_at: user.lastLoginAt?.toISOString() ?? null,
  }
}
