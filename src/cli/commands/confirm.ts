import type { Context } from '../context.ts'
import { cancelled, usage } from '../exit.ts'
import { canAsk } from '../io.ts'
import { oneLine } from '../view/safe.ts'

/** Before anything is deleted. On a pipe nobody can be asked, so --yes has to be there. */
export async function confirm(context: Context, yes: boolean | undefined, message: string): Promise<void> {
  if (yes === true) return
  if (!canAsk(context.io))
    throw usage('Nobody can be asked here, so nothing was deleted. Give --yes to delete without a question.')
  const prompts = await context.io.prompts()
  if (!(await prompts.confirm({ message: oneLine(message), default: false }))) throw cancelled('Nothing was deleted.')
}
