import { faultOf, tidyRule } from '../../../core/synonyms.ts'
import { defineCommand, defineNoun } from '../../define.ts'
import { EXIT, usage } from '../../exit.ts'
import { argument, argumentList, flag, pathArgument, yes } from '../../options.ts'
import { oneLine } from '../../view/safe.ts'
import { formatTable } from '../../view/table.ts'
import { confirm } from '../confirm.ts'
import { projectOf, projectOption } from '../find.ts'
import { allSynonyms, findSynonym, lineOf } from './rules.ts'

const list = defineCommand({
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

const add = defineCommand({
  name: 'add',
  summary: 'Add words or phrases that mean the same thing',
  arguments: {
    word: argument('<word>', 'Word or phrase'),
    synonyms: argumentList('<synonym...>', 'Other words or phrases for it'),
  },
  options: {
    oneWay: flag('--one-way', 'A search for the word finds its synonyms, but a search for them does not find the word'),
    project: projectOption,
  },
  examples: [
    'docsearch synonyms add capex "capital expenditure" --project reports',
    'docsearch synonyms add --one-way refund reimbursement "credit note"',
  ],
  async run(context, { word, synonyms }, options) {
    const sent = options.oneWay ? { words: [word], expandsTo: synonyms } : { words: [word, ...synonyms], expandsTo: null }
    const { words, expandsTo } = tidyRule(sent)
    const fault = faultOf({ words, expandsTo })
    if (fault !== null) throw usage(`Nothing was added, because the rule ${fault}.`)
    const client = await context.client()
    const project = await projectOf(context, options.project)
    const saved = await client.synonyms.add(project, [{ words: [...words], expands_to: expandsTo && [...expandsTo] }])
    if (context.json) return context.printJson(saved)
    for (const synonym of saved.synonyms) {
      const done = synonym.outcome === 'created' ? 'Added' : 'Unchanged'
      context.printLine(`${done} ${synonym.id}: ${lineOf(synonym)}`)
    }
  },
})

const remove = defineCommand({
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

const DETAILS = `\
The file has one rule in each line, in the format of Solr and Elasticsearch:
  # Each of these words and phrases finds the others:
  capex, capital expenditure
  # "refund" finds the others, but they do not find "refund":
  refund => reimbursement, credit note
A comma after a backslash belongs to the phrase.`

const importFile = defineCommand({
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

export default defineNoun({
  name: 'synonyms',
  summary: 'List, add, remove and import synonyms for searches',
  description:
    'List, add, remove and import synonyms: words and phrases for the same thing. Searches in a project use its synonyms at once.',
  commands: [list, add, remove, importFile],
  standalone: list,
})
