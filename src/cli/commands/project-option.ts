import type { Context } from '../context.ts'
import { text } from '../options.ts'

export const projectOption = text('-p, --project <name>', 'Project (ID or name; default "default")')

/** Uploads without --project go to the same project. */
export async function projectOf(context: Context, named: string | undefined): Promise<string> {
  return named ?? (await context.target()).project ?? 'default'
}
