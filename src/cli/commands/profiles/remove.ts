import { normaliseAddress } from '../../../client/address.ts'
import { defineCommand } from '../../define.ts'
import { argument } from '../../options.ts'

export default defineCommand({
  name: 'remove',
  aliases: ['rm', 'delete'],
  summary: 'Remove a saved instance',
  description: 'Remove a saved instance. This does not log you out of it.',
  arguments: { name: argument('<name>', 'Name of the profile') },
  examples: ['docsearch profiles remove work'],
  async run(context, { name }) {
    const { removeProfile } = await import('../../../client/profiles.ts')
    const { server } = await removeProfile(context.io.env, name)
    const address = normaliseAddress(server)
    if (context.json) context.printJson({ name, server, removed: true })
    else context.printLine(`Removed profile ${name}`)
    const isLoggedIn = (await (await context.credentials()).list()).some((entry) => entry.address === address)
    if (isLoggedIn) context.notice(`You are still logged in. To log out, run \`docsearch --server ${address} logout\`.`)
  },
})
