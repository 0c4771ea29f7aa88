import type { DocumentRecord } from '../../../core/model.ts'
import { fail } from '../../problems.ts'
import type { PageCall } from '../page.ts'

/** The document of the address; throws `not_found`, also for one that is somebody else's. */
export async function documentOf({ services, user, id }: PageCall): Promise<DocumentRecord> {
  const found = await services.records.documents.get(user.id, id)
  if (found === null) throw fail('not_found', 'You have no such document.')
  return found
}
