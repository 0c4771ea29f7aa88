import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { choice, flag, fraction, integer, option, path, pathArgument } from '../../options.ts'

const DETAILS = `\
The file is a YAML list, or has one JSON object per line. Each entry is a
question with the place of its answer:
  - query: when is the rent due
    project: contracts                          # optional: ID or name, or a list
    expect: [{ document: lease.pdf, page: 2 }]  # name, path or ID; page optional

A document or page counts at the rank of its first result.
Exit code 1 means that no question found its answer. Exit code 3 means that a
question failed, or that a measure dropped by more than --max-drop.`

export default defineCommand({
  name: 'eval',
  summary: 'Measure search quality with questions whose answers you know',
  arguments: { file: pathArgument('<file>', 'File with questions and their answers') },
  options: {
    limit: option('-n, --limit <number>', 'Number of results to look at, 1 to 100 (default 10)', integer(1, 100)),
    mode: choice('--mode <mode>', 'How to search (default hybrid)', ['hybrid', 'vector', 'keyword']),
    rerank: flag('--no-rerank', "Don't rerank: keep the order of the first search stage"),
    group: flag('-g, --group', 'Search for one result per document'),
    baseline: path('--baseline <file>', 'Compare with an earlier run, saved from --json'),
    maxDrop: option(
      '--max-drop <number>',
      'Fail if a measure is lower than in the baseline by more than this, such as 0.02',
      fraction,
    ),
  },
  details: DETAILS,
  examples: [
    'docsearch eval questions.yaml',
    'docsearch --json eval questions.yaml > before.json',
    'docsearch eval questions.yaml --baseline before.json --max-drop 0.02',
  ],
  async run(context, { file }, { limit = 10, mode = 'hybrid', rerank, group, baseline, maxDrop }) {
    if (maxDrop !== undefined && baseline === undefined) throw usage('--max-drop needs --baseline.')
    const { evaluate } = await import('./evaluate.ts')
    return evaluate(context, file, { mode, rerank, group, limit }, { file: baseline, maxDrop: maxDrop ?? null })
  },
})
