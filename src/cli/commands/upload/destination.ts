import type { Client, UploadOptions } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import { canAsk } from '../../io.ts'

/**
 * The instance and project to upload to. Called before standard input is read, so that a login problem shows first.
 * `mayAsk` is false when the upload comes from standard input, which a question would read too.
 */
export async function chooseDestination(
  context: Context,
  named: string | undefined,
  { mayAsk }: { mayAsk: boolean },
): Promise<{ client: Client; settings: Pick<UploadOptions, 'project'> }> {
  const client = await context.client()
  const known = named ?? (await context.target()).project
  const project = known ?? (mayAsk ? await askForProject(context, client) : null)
  return { client, settings: project === null ? {} : { project } }
}

/** Asks on a terminal when there are several projects; null leaves the choice to the instance. */
async function askForProject(context: Context, client: Client): Promise<string | null> {
  if (!canAsk(context.io) || context.json || context.globals.quiet === true) return null
  const { projects } = await client.projects.list({ limit: 100 }).catch((error: unknown) => {
    // A key without read access can't list projects, so there is nothing to choose from.
    if (error instanceof ClientError && error.status === 403) return { projects: [] }
    throw error
  })
  if (projects.length < 2) return null
  const prompts = await context.io.prompts()
  const choices = projects.map(({ name }) => ({ name, value: name }))
  return prompts.select({ message: 'Which project do you want to upload to?', choices, default: 'default' })
}
