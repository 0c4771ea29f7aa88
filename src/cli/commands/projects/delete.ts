import { defineCommand } from '../../define.ts'
import { argument, yes } from '../../options.ts'
import { count } from '../../view/style.ts'
import { confirm } from '../confirm.ts'

export default defineCommand({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete a project and its documents',
  arguments: { project: argument('<project>', 'ID or name') },
  options: { yes },
  examples: ['docsearch projects delete contracts --yes'],
  async run(context, args, options) {
    const client = await context.client()
    const project = await client.projects.get(args.project)
    const trashed = project.trashed_count ?? 0
    const what = `its ${count(project.document_count, 'document')}${trashed === 0 ? '' : ` and ${count(trashed, 'document')} in the trash`}`
    await confirm(context, options.yes, `Delete project ${project.name} with ${what}? This cannot be undone.`)
    const deleted = await client.projects.delete(project.id)
    if (context.json) context.printJson(deleted)
    else context.printLine(`Deleted project ${project.name} and ${count(deleted.documents_deleted, 'document')}`)
  },
})
