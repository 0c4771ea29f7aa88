import type { Context } from '../../context.ts'
import { showProject } from './show.ts'

export async function run(context: Context, [name = '']: string[], options: { description?: string }): Promise<void> {
  showProject(context, await (await context.client()).projects.create({ name, ...options }))
}
