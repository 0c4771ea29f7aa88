import { isIdSuffix } from '../../../core/ids.ts'
import type { Administration } from '../administer.ts'
import { endsWith, onlyMatch } from '../find.ts'

/** Returns the client ID to ask the instance for. Finds the application if the argument may be the end of an ID, as tables show it. */
export async function clientIdOf({ clients }: Administration, given: string): Promise<string> {
  if (!isIdSuffix(given)) return given
  const all = (await clients.list()).clients.map((application) => ({ ...application, id: application.client_id }))
  if (all.some(({ id }) => id === given)) return given
  const missing = { code: 'client_not_found', message: `There is no application ${JSON.stringify(given)}.` } as const
  const matches = all.filter(({ id }) => endsWith(id, given))
  return onlyMatch(matches, { given, nouns: 'applications', missing, describe: ({ id, name }) => `${id} (${name})` }).id
}
