import type { Context } from '../context.ts'
import { cancelled, usage } from '../exit.ts'
import { canAsk } from '../io.ts'

/** Asks before something is deleted. Throws a usage error where no question can be asked and --yes is missing. */
export async function confirm(context: Context, isConfirmed: boolean, message: string): Promise<void> {
  if (isConfirmed) return
  if (!canAsk(context.io)) throw usage('Not a terminal: pass --yes to delete.')
  const prompts = await context.io.prompts()
  if (!(await prompts.confirm({ message, default: false }))) throw cancelled('Nothing was deleted.')
}
