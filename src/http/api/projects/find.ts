import type { Principal } from '../../../core/model.ts'
import type { ProjectWithCounts } from '../../../records/records.ts'
import { fail } from '../../problems.ts'
import type { Services } from '../../services.ts'

/** The caller's project of this id or name. Throws `project_not_found`, also for one that is somebody else's. */
export async function findProject(
  { records }: Pick<Services, 'records'>,
  caller: Principal,
  idOrName: string,
): Promise<ProjectWithCounts> {
  const project = await records.projects.find(caller.userId, idOrName)
  if (project === null) {
    throw fail(
      'project_not_found',
      `There is no project ${JSON.stringify(idOrName)}. GET /api/v1/projects lists those there are.`,
    )
  }
  return project
}
