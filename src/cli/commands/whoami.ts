import type { Context } from '../context.ts'
import { formatFields } from '../view/table.ts'

export async function run(context: Context): Promise<void> {
  const { address, from, profile } = await context.target()
  const client = await context.client()
  const me = await client.me()
  const source = (await (await context.credentials()).get(address))?.source ?? 'environment'
  if (context.json) return context.printJson({ server: address, server_from: from, profile, credential_from: source, ...me })
  context.print(
    formatFields(
      [
        ['user', me.user.name],
        ['email', me.user.email],
        ['role', me.user.role],
        ['server', `${address} (${from})`],
        ['profile', profile],
        [
          'credential',
          `${me.authentication.method.replace('_', ' ')} ${me.authentication.name ?? me.authentication.id} (${source})`,
        ],
        ['scopes', me.scopes.join(', ')],
        ['expires', me.expires_at],
      ],
      context.table,
    ),
  )
}
