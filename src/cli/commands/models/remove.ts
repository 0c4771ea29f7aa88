import type { Context } from '../../context.ts'
import { confirm } from '../confirm.ts'

export async function run(context: Context, [model = '']: string[], options: { yes?: boolean }): Promise<void> {
  const client = await context.client()
  await confirm(context, options.yes, `Drop the index of ${model}? To use it again, everything has to be embedded anew.`)
  await client.models.remove(model)
  if (context.json) context.printJson({ removed: model })
  else context.notice(`The index of ${model} is dropped; the model itself stays with Ollama.`)
}
