import type { ProjectIds, Records } from '../../src/records/records.ts'

/** Returns the ids of the projects that a user may see. */
export async function visibleTo(records: Pick<Records, 'members'>, userId: string): Promise<ProjectIds> {
  const { projects } = await records.members.visibleTo(userId)
  return new Set(projects.map(({ id }) => id))
}
