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
  return found(await records.projects.find(caller.userId, idOrName), idOrName)
}

/** The same for its id alone, without counting its documents. */
export async function findProjectId(
  { records }: Pick<Services, 'records'>,
  caller: Pick<Principal, 'userId'>,
  idOrName: string,
): Promise<string> {
  return found(await records.projects.findId(caller.userId, idOrName), idOrName)
}

function found<T>(project: T | null, idOrName: string): T {
  if (project !== null) return project
  throw fail('project_not_found', `There is no project ${JSON.stringify(idOrName)}.`)
}
