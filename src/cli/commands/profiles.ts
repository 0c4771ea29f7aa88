import { normaliseAddress } from '../../client/address.ts'
import { defineCommand, defineNoun } from '../define.ts'
import { EXIT } from '../exit.ts'
import { argument } from '../options.ts'
import { formatTable } from '../view/table.ts'

const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the saved instances',
  examples: ['docsearch profiles list', 'docsearch profiles list --json'],
  async run(context) {
    const { readProfiles } = await import('../../client/profiles.ts')
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

const use = defineCommand({
  name: 'use',
  summary: 'Make a saved instance the default',
  description: 'Make a saved instance the default of commands without --server and --profile.',
  arguments: { name: argument('<name>', 'Name of the profile') },
  examples: ['docsearch profiles use work'],
  async run(context, { name }) {
    const { useProfile } = await import('../../client/profiles.ts')
    const { server } = await useProfile(context.io.env, name)
    if (context.json) context.printJson({ name, server, default: true })
    else context.printLine(`Commands without --server now use ${server}`)
    for (const variable of ['DOCSEARCH_SERVER', 'DOCSEARCH_PROFILE'])
      if (context.io.env[variable]) context.notice(`${variable} is set and takes precedence over the default profile.`)
  },
})

const remove = defineCommand({
  name: 'remove',
  aliases: ['rm', 'delete'],
  summary: 'Remove a saved instance',
  description: 'Remove a saved instance. This does not log you out of it.',
  arguments: { name: argument('<name>', 'Name of the profile') },
  examples: ['docsearch profiles remove work'],
  async run(context, { name }) {
    const { removeProfile } = await import('../../client/profiles.ts')
    const { server } = await removeProfile(context.io.env, name)
    const address = normaliseAddress(server)
    if (context.json) context.printJson({ name, server, removed: true })
    else context.printLine(`Removed profile ${name}`)
    const isLoggedIn = (await (await context.credentials()).list()).some((entry) => entry.address === address)
    if (isLoggedIn) context.notice(`You are still logged in. To log out, run \`docsearch --server ${address} logout\`.`)
  },
})

export default defineNoun({
  name: 'profiles',
  summary: 'List, choose and remove saved instances',
  description:
    'List, choose and remove saved instances. `docsearch login` saves an instance as a profile, and `--profile NAME` uses it for one command.',
  commands: [list, use, remove],
  standalone: list,
})
