import { defineCommand } from '../../define.ts'
import { flag, pathArgument, yes } from '../../options.ts'
import { projectOf, projectOption } from './rules.ts'

const DETAILS = `\
The file has one rule in each line, in the format of Solr and Elasticsearch:
  # Each of these words and phrases finds the others:
  capex, capital expenditure
  # "refund" finds the others, but they do not find "refund":
  refund => reimbursement, credit note
A comma after a backslash belongs to the phrase.`

export default defineCommand({
  name: 'import',
  summary: 'Add synonyms from a file',
  description: 'Add synonyms from a file. If a line has an error, docsearch imports nothing and lists all errors.',
  arguments: { file: pathArgument('<file>', 'Text file, or - for standard input') },
  options: {
    project: projectOption,
    replace: flag('--replace', 'Remove all synonyms of the project that are not in the file'),
    yes,
  },
  details: DETAILS,
  examples: [
    'docsearch synonyms import synonyms.txt --project reports',
    'docsearch synonyms list -p reports | docsearch synonyms import - -p plans',
  ],
  async run(context, { file }, options) {
    const { importSynonyms } = await import('./import-file.ts')
    await importSynonyms(context, file, { ...options, project: await projectOf(context, options.project) })
  },
})
