import type { Context } from '../../context.ts'
import { EXIT } from '../../exit.ts'
import { formatTable } from '../../view/table.ts'
import { administer, type AdministrationOptions } from '../administer.ts'

export async function run(context: Context, _args: string[], options: AdministrationOptions): Promise<number> {
  const { clients } = await administer(context, options, (administration) => administration.clients.list())
  if (context.json) context.printJson({ clients })
  else {
    const rows = clients.map((client) => [
      client.client_id,
      client.name,
      client.type,
      client.scopes.join(','),
      client.redirect_uris.join(' '),
      client.created_at,
    ])
    if (rows.length > 0) context.print(formatTable(['ID', 'NAME', 'TYPE', 'SCOPES', 'REDIRECTS', 'CREATED'], rows, context.table))
    else context.notice('No applications yet.')
  }
  return clients.length === 0 ? EXIT.nothing : EXIT.done
}
