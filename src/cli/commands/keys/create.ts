import type { ApiKeyCreate } from '../../../contract/account.ts'
import type { Context } from '../../context.ts'

export async function run(
  context: Context,
  [name = '']: string[],
  options: { scope?: NonNullable<ApiKeyCreate['scopes']>; expiresInDays?: number },
): Promise<void> {
  const request: ApiKeyCreate = { name }
  if (options.scope !== undefined) request.scopes = options.scope
  if (options.expiresInDays !== undefined) request.expires_in_days = options.expiresInDays
  const created = await (await context.client()).keys.create(request)
  if (context.json) return context.printJson(created)
  context.print(created.key + '\n')
  context.notice(`${created.id}: this key is shown this once; it may ${created.scopes.join(', ')}.`)
}
