import type { Context } from '../context.ts'
import { cancelled, usage } from '../exit.ts'
import { canAsk } from '../io.ts'

/** Asks before a command deletes or removes something. Throws a usage error if --yes is missing and there is no terminal to ask on. */
export async function confirm(context: Context, isConfirmed: boolean, message: string): Promise<void> {
  if (isConfirmed) return
  if (!canAsk(context.io)) throw usage('Cannot ask for confirmation, because this is not a terminal. To go ahead, add --yes.')
  const prompts = await context.io.prompts()
  if (!(await prompts.confirm({ message, default: false }))) throw cancelled('Cancelled. Nothing was changed.')
}
