import type { Context } from '../../context.ts'
import { showProject } from './show.ts'

export async function run(context: Context, [project = '', name = '']: string[]): Promise<void> {
  showProject(context, await (await context.client()).projects.update(project, { name }))
}
