import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { formatTable } from '../../view/table.ts'
import { administer, DATA_OPTIONS } from '../administer.ts'
import { shownTime } from '../../view/time.ts'

export default defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List applications',
  options: DATA_OPTIONS,
  examples: ['docsearch clients list'],
  async run(context, _args, options) {
    const { clients } = await administer(context, options, (administration) => administration.clients.list())
    if (context.json) context.printJson({ clients })
    else if (clients.length === 0) context.notice('No applications.')
    else {
      const rows = clients.map((client) => [
        client.client_id,
        client.name,
        client.type,
        client.scopes.join(','),
        client.redirect_uris.join(' '),
        shownTime(client.created_at, context.terminal),
      ])
      await context.printLong(formatTable(['ID', 'NAME', 'TYPE', 'SCOPES', 'REDIRECTS', 'CREATED'], rows, context.table))
    }
    return clients.length === 0 ? EXIT.nothing : EXIT.done
  },
})
