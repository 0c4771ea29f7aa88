import type { DocumentRecord, Principal } from '../../../core/model.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { fail } from '../../problems.ts'
import type { Services } from '../../services.ts'

/** The caller's document; throws `document_not_found`, also for one that is somebody else's. */
export async function findDocument(
  { records }: Pick<Services, 'records'>,
  caller: Principal,
  id: string,
): Promise<DocumentRecord> {
  return (await records.documents.get(caller.userId, id)) ?? notFound(id)
}

export function notFound(id: string): never {
  throw noDocument(id)
}

function noDocument(id: string): DocsearchError {
  return fail('document_not_found', `There is no document ${JSON.stringify(id.slice(0, 100))}.`)
}
