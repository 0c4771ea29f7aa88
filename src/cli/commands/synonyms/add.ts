import { faultOf, tidyRule } from '../../../core/synonyms.ts'
import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { argument, argumentList, flag } from '../../options.ts'
import { lineOf, projectOf, projectOption } from './rules.ts'

export default defineCommand({
  name: 'add',
  summary: 'Add words or phrases for the same thing',
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
