import type { Status } from '../../../contract/status.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { flag, integer, option } from '../../options.ts'
import { administer, DATA_OPTIONS } from '../administer.ts'
import { formatStatus, watchStatus } from './view.ts'

const DEFAULT_SECONDS = 2

export default defineCommand({
  name: 'status',
  summary: 'Show what an instance is doing',
  description:
    'Show whether an instance works and what it is doing: queue, rates, index, memory, models and disk. The owner sees the whole ' +
    'instance, other users see their own documents. With --data, the command reads a data folder, with or without a running daemon.',
  options: {
    ...DATA_OPTIONS,
    watch: flag('-w, --watch', 'Update the status until Ctrl-C'),
    every: option(
      '--every <seconds>',
      `With --watch: seconds between two updates (default ${DEFAULT_SECONDS})`,
      integer(1, 3600),
    ),
  },
  details:
    'The exit code is 0 if the instance works, 3 if it works in part (degraded), 7 if it does not work (unavailable), and 5 if it ' +
    'cannot be reached or, with --data, does not run.\n\nWith --watch and --json, each update is one line.',
  examples: ['docsearch status', 'docsearch status --watch', 'docsearch status --json | jq .documents'],
  async run(context, _args, { data, watch, every = DEFAULT_SECONDS }) {
    return administer(context, { data }, async (administration) => {
      if (watch) return watchStatus(context, () => administration.status(), every)
      return show(context, await administration.status())
    })
  },
})

function show(context: Context, status: Status): number {
  if (context.json) context.printJson(status)
  else context.print(formatStatus(status, context))
  return exitCodeOf(status)
}

function exitCodeOf({ status, checks }: Status): number {
  if (status === 'ok') return EXIT.done
  if (status === 'degraded') return EXIT.partial
  // Only a running instance reports its checks.
  return checks === undefined ? EXIT.unreachable : EXIT.instance
}
