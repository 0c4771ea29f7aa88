import type { Context } from '../context.ts'
import { daemonOutput } from './serve.ts'

export async function run(context: Context, _args: string[], flags: Record<string, unknown>): Promise<number> {
  const { runReindex } = await import('../../serve/reindex.ts')
  return runReindex(flags, daemonOutput(context))
}
