import type { Context } from '../../context.ts'
import { oneLine } from '../../view/safe.ts'
import { count } from '../../view/style.ts'
import { confirm } from '../confirm.ts'

export async function run(context: Context, [idOrName = '']: string[], options: { yes?: boolean }): Promise<void> {
  const client = await context.client()
  const project = await client.projects.get(idOrName)
  await confirm(context, options.yes, `Delete project ${project.name} with ${count(project.document_count, 'document')}?`)
  const deleted = await client.projects.delete(project.id)
  if (context.json) context.printJson(deleted)
  else context.print(`Deleted project ${oneLine(project.name)} with ${count(deleted.documents_deleted, 'document')}\n`)
}
