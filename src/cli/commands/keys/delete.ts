import { defineCommand } from '../../define.ts'
import { argument, yes } from '../../options.ts'
import { confirm } from '../confirm.ts'

export default defineCommand({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete an API key',
  description: 'Delete an API key. Programs that use it lose access.',
  arguments: { id: argument('<id>', 'ID of the key') },
  options: { yes },
  examples: ['docsearch keys delete key_01h… --yes'],
  async run(context, { id }, options) {
    const client = await context.client()
    await confirm(context, options.yes, `Delete API key ${id}? Programs that use it lose access.`)
    await client.keys.delete(id)
    if (context.json) context.printJson({ id, deleted: true })
    else context.printLine(`Deleted key ${id}`)
  },
})
