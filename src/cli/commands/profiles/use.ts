import { defineCommand } from '../../define.ts'
import { argument } from '../../options.ts'

export default defineCommand({
  name: 'use',
  summary: 'Make a saved instance the default',
  description: 'Make a saved instance the default of commands without --server and --profile.',
  arguments: { name: argument('<name>', 'Name of the profile') },
  examples: ['docsearch profiles use work'],
  async run(context, { name }) {
    const { useProfile } = await import('../../../client/profiles.ts')
    const { server } = await useProfile(context.io.env, name)
    if (context.json) context.printJson({ name, server, default: true })
    else context.printLine(`Commands without --server now use ${server}`)
    for (const variable of ['DOCSEARCH_SERVER', 'DOCSEARCH_PROFILE'])
      if (context.io.env[variable]) context.notice(`${variable} is set and takes precedence over the default profile.`)
  },
})
