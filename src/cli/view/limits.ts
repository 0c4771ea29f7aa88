import type { ApiKey } from '../../contract/account.ts'
import type { Quota, Usage } from '../../contract/common.ts'
import { formatBytes } from '../../core/format-bytes.ts'
import type { Context } from '../context.ts'

/**
 * Returns a user's usage and quotas as fields to print. Returns no fields for an instance of an earlier version, which does not
 * send them.
 */
export function usageFields(
  { terminal }: Pick<Context, 'terminal'>,
  { usage, quota }: { usage?: Usage; quota?: Quota },
): [string, string][] {
  if (usage === undefined) return []
  const kinds = ['documents', 'bytes', 'passages'] as const
  return kinds.map((kind) => {
    const show = (amount: number) => {
      if (!terminal) return String(amount)
      return kind === 'bytes' ? formatBytes(amount) : amount.toLocaleString('en')
    }
    const limit = quota?.[kind] ?? null
    return [kind, limit === null ? show(usage[kind]) : `${show(usage[kind])} of ${show(limit)}`]
  })
}

/** Names the projects that a credential is limited to; null without a limit. Instances of version 0.1.0 send no limit. */
export function namesOfLimit(projects: ApiKey['projects'] | undefined): string | null {
  if (projects === null || projects === undefined) return null
  return projects.length === 0 ? 'no projects' : projects.map(({ name }) => name).join(', ')
}
