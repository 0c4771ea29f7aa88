import { defineCommand } from '../../define.ts'
import { argument, yes } from '../../options.ts'
import { confirm } from '../confirm.ts'

export default defineCommand({
  name: 'remove',
  aliases: ['rm'],
  summary: 'Delete the index of a model that is not in use',
  description: 'Delete the index of a model that is not in use, or stop building one. The model itself stays available.',
  arguments: { model: argument('<model>', 'builtin, or the name of a model in Ollama') },
  options: { yes },
  examples: ['docsearch models remove builtin --yes'],
  async run(context, { model }, options) {
    const client = await context.client()
    await confirm(
      context,
      options.yes,
      `Delete the index of ${model}? If you use the model again, docsearch must embed every document again.`,
    )
    await client.models.remove(model)
    if (context.json) context.printJson({ removed: model })
    else context.notice(`Deleted the index of ${model}. The model itself stays available.`)
  },
})
