import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { formatTable } from '../../view/table.ts'
import { projectOf, projectOption, stateOf } from './webhooks.ts'

export default defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the webhooks of a project',
  options: { project: projectOption },
  examples: ['docsearch webhooks list --project contracts'],
  async run(context, _args, options) {
    const client = await context.client()
    const project = await projectOf(context, options.project)
    const { webhooks } = await client.webhooks.list(project)
    if (context.json) context.printJson({ webhooks })
    else if (webhooks.length === 0) context.notice(`Project ${project} has no webhooks.`)
    else {
      const rows = webhooks.map((webhook) => [
        webhook.id,
        webhook.url,
        webhook.events.map((event) => event.replace('document.', '')).join(','),
        stateOf(webhook),
        String(webhook.waiting),
      ])
      context.print(formatTable(['ID', 'URL', 'EVENTS', 'STATE', 'WAITING'], rows, context.table))
    }
    return webhooks.length === 0 ? EXIT.nothing : EXIT.done
  },
})
