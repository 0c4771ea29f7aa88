import type { ModelTest } from '../../../contract/models.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { PartialFailure } from '../../exit.ts'
import { argument } from '../../options.ts'
import { count } from '../../view/style.ts'
import { formatReasons, formatTable } from '../../view/table.ts'
import { roughTime } from './progress.ts'

const WORDS = { passed: 'ok', limited: 'limited', failed: 'FAILED' } as const

export default defineCommand({
  name: 'test',
  summary: 'Try out a model on samples',
  description:
    'Embed a few sample texts with a model, check whether the vectors fit together as search needs it, and measure the speed. ' +
    'Nothing is changed. Exits with 3 if a check fails.',
  arguments: { model: argument('<model>', 'builtin, or the name of a model in Ollama') },
  examples: ['docsearch models test embeddinggemma', 'docsearch models test builtin --json'],
  async run(context, { model }) {
    const client = await context.client()
    const tested = await client.models.test(model)
    if (context.json) context.printJson(tested)
    else print(context, tested)
    const failed = tested.checks.filter(({ result }) => result === 'failed').length
    if (failed > 0) throw new PartialFailure(`${count(failed, 'check')} of ${tested.checks.length} failed.`)
  },
})

function print(context: Context, tested: ModelTest): void {
  const facts = [
    ['model', tested.model],
    ['dimensions', String(tested.dimensions)],
    ['passages', `up to ${count(tested.passage_tokens, 'token')}`],
    ['speed', `${Math.round(tested.tokens_per_second)} tokens a second`],
    ['known', tested.known ? 'yes' : 'no'],
  ]
  context.print(formatTable(['FACT', 'VALUE'], facts, context.table))
  const checks = tested.checks.map(({ check, result, message }) => ({ cells: [check, WORDS[result]], reasons: [message] }))
  context.print(formatReasons(['CHECK', 'RESULT'], checks, context.table))
  if (!tested.known)
    context.notice(
      'docsearch does not know this model. It sends texts without the prefixes that many models need, and estimates their tokens, ' +
        'so a model that it knows usually finds more. docs/models.md lists them.',
    )
  if (tested.seconds_for_all > 0)
    context.notice(`For all passages of this instance, the model would take about ${roughTime(tested.seconds_for_all)}.`)
}
