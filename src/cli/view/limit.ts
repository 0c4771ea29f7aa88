import type { ApiKey } from '../../contract/account.ts'

/** Names the projects that a credential is limited to; null without a limit. Instances of version 0.1.0 send no limit. */
export function namesOfLimit(projects: ApiKey['projects'] | undefined): string | null {
  if (projects === null || projects === undefined) return null
  return projects.length === 0 ? 'no projects' : projects.map(({ name }) => name).join(', ')
}
