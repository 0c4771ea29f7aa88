import { spawnSync } from 'node:child_process'
import { BIN } from '../test/support/daemon.ts'
import type { Instance } from '../test/quality/instance.ts'
import { type Figure, median, ms, ratio, timed } from './measure.ts'

const ROUNDS = 25

/** Compares the command line with an empty Node. Both alternate, so that a busy moment affects them equally. */
export async function measureStartup(instance: Instance): Promise<Figure[]> {
  const env = { ...instance.daemon.env, DOCSEARCH_TOKEN: await instance.daemon.token() }
  await instance.load('startup', [{ name: 'note.txt', content: 'The boiler was serviced in March.' }])
  const run = (args: string[]): number => {
    const began = performance.now()
    const { status, stderr } = spawnSync(process.execPath, args, { env })
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr.toString()}`)
    return performance.now() - began
  }
  const kinds = { empty: ['-e', '0'], version: [BIN, '--version'], search: [BIN, 'search', 'boiler', '--project', 'startup'] }
  const times: Record<keyof typeof kinds | 'server', number[]> = { empty: [], version: [], search: [], server: [] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) times[kind].push(run(kinds[kind]))
    times.server.push((await timed(() => instance.search({ query: 'boiler', project: 'startup' }))).ms)
  }
  const empty = median(times.empty)
  return [
    {
      name: '`docsearch --version` : `node -e 0`',
      value: `${ratio(median(times.version) / empty)} (${ms(median(times.version))} : ${ms(empty)})`,
      bound: '≤ 1.6',
    },
    {
      name: "`docsearch search`, less the server's part : `node -e 0`",
      value: `${ratio((median(times.search) - median(times.server)) / empty)} (${ms(median(times.search))} − ${ms(median(times.server))})`,
      bound: '≤ 3',
    },
  ]
}
