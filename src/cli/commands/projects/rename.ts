import { defineCommand } from '../../define.ts'
import { argument } from '../../options.ts'
import { printProject } from './show.ts'

export default defineCommand({
  name: 'rename',
  summary: 'Rename a project',
  arguments: { project: argument('<project>', 'ID or name'), name: argument('<name>', 'New name') },
  examples: ['docsearch projects rename contracts agreements'],
  async run(context, { project, name }) {
    const client = await context.client()
    printProject(context, await client.projects.update(project, { name }))
  },
})
