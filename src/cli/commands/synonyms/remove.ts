import { defineCommand } from '../../define.ts'
import { argument, yes } from '../../options.ts'
import { confirm } from '../confirm.ts'
import { findSynonym, lineOf, projectOf, projectOption } from './rules.ts'

export default defineCommand({
  name: 'remove',
  aliases: ['rm', 'delete'],
  summary: 'Remove synonyms from a project',
  arguments: {
    synonyms: argument('<synonyms>', 'ID, the line that `list` prints, or a word or phrase that only one line has'),
  },
  options: { project: projectOption, yes },
  examples: [
    'docsearch synonyms remove syn_01h… --yes',
    'docsearch synonyms remove "capex, capital expenditure" --project reports',
    'docsearch synonyms remove capex --project reports',
  ],
  async run(context, { synonyms: given }, options) {
    const client = await context.client()
    const project = await projectOf(context, options.project)
    const synonym = await findSynonym(client, project, given)
    await confirm(context, options.yes, `Remove the synonyms ${lineOf(synonym)} from project ${project}?`)
    await client.synonyms.delete(project, synonym.id)
    if (context.json) context.printJson({ id: synonym.id, deleted: true })
    else context.printLine(`Removed ${synonym.id}: ${lineOf(synonym)}`)
  },
})
