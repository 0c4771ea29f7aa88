import type { Context } from '../context.ts'

export async function run(context: Context, _args: string[], flags: Record<string, unknown>): Promise<number> {
  const { runServe } = await import('../../serve/main.ts')
  return runServe(flags, daemonOutput(context))
}

/** What a command that works on a data folder gets of this process. */
export function daemonOutput(context: Context) {
  const { stdout, stderr, env } = context.io
  return { stdout, stderr, env, json: context.json, quiet: context.globals.quiet === true }
}
