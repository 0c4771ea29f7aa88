import type { Account } from '../../../services/account.ts'
import type { Me } from '../../../contract/account.ts'
import { KEY_SCOPES, type Principal } from '../../../core/model.ts'

/** Who is calling, as the wire has it. */
export function presentMe(user: Awaited<ReturnType<Account['getWithUsage']>>, caller: Principal): Me {
  return {
    user: { id: user.id, name: user.name, email: user.email, role: user.role },
    scopes: KEY_SCOPES.filter((scope) => caller.scopes.has(scope)),
    projects: user.projects,
    authentication: { method: caller.via, id: caller.credentialId, name: caller.credentialName },
    expires_at: caller.expiresAt?.toISOString() ?? null,
    usage: user.usage,
    quota: user.quotas,
  }
}
