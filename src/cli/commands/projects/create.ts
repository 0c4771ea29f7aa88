import { defineCommand } from '../../define.ts'
import { argument, text } from '../../options.ts'
import { printProject } from './show.ts'

export default defineCommand({
  name: 'create',
  summary: 'Create a project',
  arguments: { name: argument('<name>', 'Name of the project') },
  options: { description: text('-d, --description <text>', 'What the project is for') },
  examples: ['docsearch projects create contracts --description "Signed contracts"'],
  async run(context, { name }, { description }) {
    const client = await context.client()
    printProject(context, await client.projects.create({ name, description }))
  },
})
