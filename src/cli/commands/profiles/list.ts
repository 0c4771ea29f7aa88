import { normaliseAddress } from '../../../client/address.ts'
import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { formatTable } from '../../view/table.ts'

export default defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the saved instances',
  examples: ['docsearch profiles list', 'docsearch profiles list --json'],
  async run(context) {
    const { readProfiles } = await import('../../../client/profiles.ts')
    const { profiles, default: fallback } = await readProfiles(context.io.env)
    const stored = new Set((await (await context.credentials()).list()).map(({ address }) => address))
    const found = Object.entries(profiles).map(([name, { server, project }]) => ({
      name,
      server: normaliseAddress(server),
      project: project ?? null,
      default: name === fallback,
      logged_in: stored.has(normaliseAddress(server)),
    }))
    if (context.json) context.printJson({ profiles: found })
    else if (found.length === 0) context.notice('No profiles. `docsearch login URL` saves the first one.')
    else {
      const rows = found.map(({ name, server, project, default: isDefault, logged_in: isLoggedIn }) => [
        name,
        server,
        project ?? '-',
        isDefault ? 'yes' : '-',
        isLoggedIn ? 'yes' : 'no',
      ])
      context.print(formatTable(['NAME', 'SERVER', 'PROJECT', 'DEFAULT', 'LOGGED IN'], rows, context.table))
    }
    return found.length === 0 ? EXIT.nothing : EXIT.done
  },
})
