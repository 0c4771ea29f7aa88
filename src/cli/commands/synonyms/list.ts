import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { oneLine } from '../../view/safe.ts'
import { formatTable } from '../../view/table.ts'
import { allSynonyms, lineOf, projectOf, projectOption } from './rules.ts'

export default defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the synonyms of a project',
  description: 'List the synonyms of a project. On a pipe, the output has the format that `docsearch synonyms import` reads.',
  options: { project: projectOption },
  examples: ['docsearch synonyms list --project contracts', 'docsearch synonyms list --project contracts > synonyms.txt'],
  async run(context, _args, options) {
    const client = await context.client()
    const project = await projectOf(context, options.project)
    const synonyms = await allSynonyms(client, project)
    if (context.json) context.printJson({ synonyms })
    else if (synonyms.length === 0) context.notice(`Project ${project} has no synonyms of its own.`)
    else if (context.terminal) {
      const rows = synonyms.map((synonym) => [synonym.id, lineOf(synonym)])
      context.print(formatTable(['ID', 'SYNONYMS'], rows, context.table))
    } else context.print(synonyms.map((synonym) => `${oneLine(lineOf(synonym))}\n`).join(''))
    return synonyms.length === 0 ? EXIT.nothing : EXIT.done
  },
})
