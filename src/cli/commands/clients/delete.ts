import { defineCommand } from '../../define.ts'
import { argument, yes } from '../../options.ts'
import { administer, DATA_OPTIONS } from '../administer.ts'
import { confirm } from '../confirm.ts'
import { clientIdOf } from './find.ts'

export default defineCommand({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete an application',
  description: 'Delete an application. It loses access to the documents of every user.',
  arguments: { id: argument('<client-id>', 'Client ID of the application') },
  options: { ...DATA_OPTIONS, yes },
  examples: ['docsearch clients delete app_01h… --yes'],
  async run(context, { id }, options) {
    await administer(context, options, async (administration) => {
      const { clients } = administration
      const application = await clients.get(await clientIdOf(administration, id))
      const question = `Delete application ${application.name}? It loses access to the documents of every user.`
      await confirm(context, options.yes, question)
      await clients.delete(application.client_id)
      if (context.json) context.printJson({ client_id: application.client_id, deleted: true })
      else context.printLine(`Deleted application ${application.name}`)
    })
  },
})
